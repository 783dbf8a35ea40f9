// What happens, for tools that watch: channels of `node:diagnostics_channel`. Browsers have none, so this file asks for the
// module where it may be missing.

/** A channel of Node with the parts start, end, asyncStart, asyncEnd and error. */
export interface Tracing<Message extends object> {
  /** Whether anything watches. Ask before a message is made: without subscribers it would be made for nothing. */
  readonly hasSubscribers: boolean
  tracePromise<Result>(run: () => Promise<Result>, message: Message): Promise<Result>
  traceSync<Result>(run: () => Result, message: Message): Result
}

/** A channel of Node without parts. */
export interface Publishing<Message extends object> {
  /** Whether anything watches. Ask before a message is made. */
  readonly hasSubscribers: boolean
  publish(message: Message): void
}

const SILENT: Tracing<any> & Publishing<any> = {
  hasSubscribers: false,
  tracePromise: (run) => run(),
  traceSync: (run) => run(),
  publish() {}
}

interface DiagnosticsChannel {
  channel(name: string): Publishing<any>
  tracingChannel(name: string): Tracing<any>
}

/**
 * Opens a channel, for example `alula:call`; Node calls its parts `tracing:alula:call:start` and so on. All that open it by the
 * same name have the same one.
 */
export function openTracing<Message extends object>(name: string): Tracing<Message> {
  return loadChannels()?.tracingChannel(name) ?? SILENT
}

/** Opens a channel for what happens at one moment. Its name is that of Node too. */
export function openPublishing<Message extends object>(name: string): Publishing<Message> {
  return loadChannels()?.channel(name) ?? SILENT
}

function loadChannels(): DiagnosticsChannel | undefined {
  const { process } = globalThis as {
    process?: { getBuiltinModule?(id: string): DiagnosticsChannel | undefined }
  }

  // Not an import: bundlers for browsers would fail on it.
  return process?.getBuiltinModule?.('node:diagnostics_channel')
}

// What happens, for tools that watch: channels of `node:diagnostics_channel`. Browsers have none, so this file asks for the
// module where it may be missing.

/** A channel of Node with the parts start, end, asyncStart, asyncEnd and error. */
export interface Tracing<Message extends object> {
  /** Whether anything watches. Ask before a message is made: without subscribers it would be made for nothing. */
  readonly hasSubscribers: boolean
  tracePromise<Result>(run: () => Promise<Result>, message: Message): Promise<Result>
  traceSync<Result>(run: () => Result, message: Message): Result
}

const SILENT: Tracing<any> = {
  hasSubscribers: false,
  tracePromise: (run) => run(),
  traceSync: (run) => run()
}

interface DiagnosticsChannel {
  tracingChannel(name: string): Tracing<any>
}

/**
 * Opens a channel. All that open it by the same name have the same one.
 *
 * @param name Its name, for example `alula:call`; Node calls its parts `tracing:alula:call:start` and so on
 */
export function openTracing<Message extends object>(name: string): Tracing<Message> {
  const { process } = globalThis as {
    process?: { getBuiltinModule?(id: string): DiagnosticsChannel | undefined }
  }

  // Not an import: bundlers for browsers would fail on it.
  return process?.getBuiltinModule?.('node:diagnostics_channel')?.tracingChannel(name) ?? SILENT
}

// The contract between the application and the other folders of the library: what an application keeps for them.
import type { CallTracer } from '../hooks/method.ts'
import { HookRegistry } from '../hooks/registry.ts'
import type { Layer } from '../hooks/types.ts'
import type { Admission } from '../utils/admission.ts'
import { createError } from '../utils/developer-error.ts'
import type { ErrorCode } from '../utils/error-codes.ts'
import type { HiddenField } from '../utils/hidden-field.ts'
import type { KeyedMutex } from '../utils/keyed-mutex.ts'
import { emitWarning } from '../utils/runtime.ts'
import { Channels } from './channel.ts'
import type { RepeatedCalls } from './repeated-calls.ts'
import type { FeathersService, HookContext, MountedHandler, Publisher } from './types.ts'

/** Has tools see the hooks of calls. */
export interface HookTracer {
  /** Whether anything watches, which can begin at any time. */
  readonly isOn: boolean
  /** Returns the layers with hooks that tools see. */
  watch(layers: readonly Layer<HookContext>[]): readonly Layer<HookContext>[]
}

/** An event of a service, on its way to connections. */
export interface ServiceEvent {
  /** The path of the service. */
  readonly path: string
  /** The name of the event, for example `created`. */
  readonly event: string
  /** What the event is about: one item, where the result of the call is a list. */
  readonly data: any
  /** That of the call; for an event that the service sent itself `path`, `service`, `app` and `result` alone. */
  readonly context: HookContext
  /** Where it is in the log; `undefined` for one that no log has. */
  readonly place?: LogPlace | undefined
  /** The span of the write as W3C `traceparent`, where a tool that traces has set it. */
  readonly traceparent?: string | undefined
}

/** Where an event is in the log, as clients get it. */
export interface EventStamp {
  /** What a client that has this event, and all before it, resumes from; `undefined` while one before it is not sent. */
  readonly position?: string
  /** Names the transaction, or else the call: its events have the same one. */
  readonly tx: string
  /** Without a position: which event of the transaction it is, from 0 on. */
  readonly index?: number
}

/** The place of an event in the log of this process. */
export interface LogPlace {
  /** Notes that the publisher of the event has not decided yet: what is sent meanwhile has no position. */
  begin(): void
  /** Notes that the event is sent, or will not be. */
  end(): void
  toStamp(): EventStamp
  /** Says of connections that they get the event by a replay; `undefined` where that is so for none. */
  readonly isReplayedTo: ((connection: object) => boolean) | undefined
}

/** The log of the events of an application. */
export interface EventLog {
  /** Whether other processes get the events too. */
  readonly isShared: boolean
  /** Up to where this process has published: what is read from now on reflects everything up to there. */
  readonly position: string
  /** Gives an event its place, and publishes it: at once, or when it comes out of a log that processes share. */
  append(service: FeathersService, event: ServiceEvent): void
}

/** An event that a service sends. */
export interface SentEvent extends Omit<ServiceEvent, 'path'> {
  readonly service: FeathersService
}

/** Publishers by event; by a symbol for all events. */
export type Publishers = Map<string | symbol, Publisher>

/** Publishes events for tools that watch. */
export interface EventTracer {
  /** Whether anything watches, which can begin at any time. */
  readonly isOn: boolean
  /** An event where it comes from; passes it on with the span that a tool has made of it. */
  emit(event: ServiceEvent, pass: (traced: ServiceEvent) => void): void
  /** An event that connections of this process get. */
  deliver(event: ServiceEvent, connections: number, run: () => void): void
  /** An event that no connection gets, because its publisher has failed. */
  fail(event: ServiceEvent, error: unknown): void
}

/** What an application keeps for the library. All objects that an application is moved onto share one. */
export class Internals {
  /** The hooks for all services. */
  readonly hooks: HookRegistry<HookContext> = new HookRegistry<HookContext>()
  /** The publishers for all services. */
  readonly publishers: Publishers = new Map()
  readonly channels: Channels = new Channels()
  /** There while something reads it: a transport with connections, or what connects processes. */
  log?: EventLog | undefined
  /** What events that are sent now belong to: those of one object are one entry of the log. */
  transaction?: object | undefined
  /** What listeners of `connection` and `login` still do for a connection: it joins its channels by then. */
  readonly joining: WeakMap<object, Promise<unknown>> = new WeakMap()
  /** The functions that `mount` was given, by prefix. */
  readonly mounts: Map<string, MountedHandler> = new Map()
  /** The names of the plugins that are configured, each of which can be configured once. */
  readonly plugins: Set<string> = new Set()
  /** Where clients get events over HTTP. The plugin sets it. */
  eventsPath?: string
  /** Whether clients of MCP reach a service, by its path. The plugin sets it. */
  reachesByMcp?: (path: string) => boolean
  /** The codes of the warnings that were emitted, or what else they are known by. */
  readonly warnings: Set<string> = new Set()
  /** How many calls of `setup` without a server have not finished. */
  settingUp = 0
  /** How many calls of `teardown` there were. */
  teardowns = 0
  /** The calls of `teardown` that have not finished; resolves when they have. */
  tearingDown: Promise<void> | undefined
  /** How many servers that `listen` has started are listening. */
  listening = 0
  /**
   * The streams of mounted functions that are being sent, and the requests whose signals they have, until `teardown` begins;
   * `undefined` from then on.
   */
  streams: Map<AbortController, readonly object[]> | undefined = new Map()
  /** The services that are set up, or being set up, until they are torn down. */
  setups: WeakMap<object, Promise<void>> = new WeakMap()
  /**
   * For records of which events carry less than their callers get, what says which fields are left out. Made by the first
   * such record.
   */
  partlyPrivate?: HiddenField<() => readonly string[]>
  /**
   * Gives the context of an event that code sends what clients see of it. An application of a server has it; clients send
   * no events.
   */
  toEventContext?: (app: object, event: SentEvent) => HookContext
  /** Copies an event that is sent later. An application of a server has it. */
  copyEvent?: (event: ServiceEvent) => Promise<ServiceEvent>
  /** Checks the settings of the library when the application is set up. An application of a server has it. */
  checkSettings?: (app: { get(name: string): unknown }) => void
  /**
   * Makes what runs before the hooks of each call of a method. An application of a server has it; what clients call is
   * prepared there.
   */
  createEntry?: (app: object, service: object, path: string, method: string) => (args: unknown[]) => void
  /** Publish calls, hooks and events for tools that watch. An application of a server has them. */
  callTracer?: CallTracer<HookContext>
  hookTracer?: HookTracer
  eventTracer?: EventTracer
  /** Parts of the params of calls, by which copies of them are known. Outside production, for a warning. */
  partsOfCalls?: WeakSet<object>
  /** Sees a call whose hooks are through. Outside production, for a warning. */
  checkResult?: (context: HookContext) => void
  /** Counts what calls of clients read. Outside production, for a warning. */
  repeatedCalls?: RepeatedCalls
  /** Says how many connections may begin. Made by the transport that first needs it. */
  admission?: Admission
  /** Runs conditional requests for one record one after another. Made by the transport that first needs it. */
  conditional?: KeyedMutex<string>
}

/**
 * Returns what an application keeps for the library. An application of Feathers v5, where parts of the library run too,
 * gets it on the first need.
 */
export function getInternals(app: object): Internals {
  const owner = app as { _internals?: Internals }

  if (!owner._internals) Object.defineProperty(owner, '_internals', { value: new Internals() })

  return owner._internals as Internals
}

/**
 * Aborts the signals of the requests whose responses are streams. A stream that waits for its client would keep the server open.
 */
export function endStreams(app: object): void {
  const internals = getInternals(app)
  const { streams } = internals

  internals.streams = undefined
  for (const stream of streams?.keys() ?? []) stream.abort()
}

/** Notes that a plugin is configured on an application. Throws an Error where it is configured already. */
export function addPlugin(app: object, name: string, sentence: string): void {
  const { plugins } = getInternals(app)

  if (plugins.has(name)) throw createError('ALULA_CONFIGURED_TWICE', sentence)

  plugins.add(name)
}

/**
 * Emits a warning of the process, once for an application and a `key`: the code, unless a warning concerns several things.
 * Browsers have no warnings.
 */
export function warnOnce(app: object, code: ErrorCode, sentence: string, key: string = code): void {
  const { warnings } = getInternals(app)

  if (warnings.has(key)) return

  warnings.add(key)
  emitWarning(sentence, { code })
}

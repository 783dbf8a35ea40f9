import { isPromise } from '../utils/check.ts'
import { isPlainObject } from '../utils/object.ts'
import { isTokenResponse } from '../utils/token-response.ts'
import { type Channel, CombinedChannel, watchDepartures } from './channel.ts'
import { emitSafely, reportError } from './events.ts'
import { defaultServiceEvents } from './methods.ts'
import { getServiceOptions } from './service.ts'
import type { HookContext, Publisher } from './types.ts'

/** Publishers by event. */
export type Publishers = Map<string | typeof ANY, Publisher>

/** An event of a service, on its way to whoever is to hear of it. */
export interface ServiceEvent {
  /** The path of the service. */
  readonly path: string
  /** The name of the event, for example `created`. */
  readonly event: string
  /** What the event is about: one item, where the result of the call is a list. */
  readonly data: any
  /** That of the call; for an event that the service sent itself `path`, `service`, `app` and `result` alone. */
  readonly context: HookContext
}

/** Takes the events of this process elsewhere, for example to other processes. It gets each once, in their order. */
export type Relay = (event: ServiceEvent) => void

/** The part of an application that publishing needs. */
interface PublishingApplication {
  readonly _publishers: Publishers
  readonly _relays: ReadonlySet<Relay>
  emit(event: string | symbol, ...values: unknown[]): unknown
  rawListeners(event: string | symbol): unknown[]
}

/** Stands for all events. */
const ANY = Symbol('any event')

const servicePublishers = new WeakMap<object, Publishers>()

/** Events that wait for the publisher of one before, by service and then by record. */
const waiting = new WeakMap<object, Map<unknown, Promise<void>>>()

/** Creates the publishers of an application. */
export function createPublishers(): Publishers {
  return new Map()
}

/**
 * Registers a publisher of an application. One that was there for the same event makes room.
 *
 * @param args The name of an event, or none for all events, and the publisher
 * @throws Error for an event that is no standard one, TypeError for what is no function
 */
export function addPublisher(publishers: Publishers, args: readonly unknown[]): void {
  setPublisher(publishers, defaultServiceEvents, args)
}

/**
 * Gives a service its `publish` function, and has each of its events published. A service that has a `publish` of its
 * own does that itself.
 */
export function implementPublish(service: any, path: string, app: PublishingApplication): void {
  if (typeof service.publish === 'function') return

  const { serviceEvents } = getServiceOptions(service)
  const publishers = createPublishers()

  function publish(this: unknown, ...args: readonly unknown[]): unknown {
    setPublisher(publishers, serviceEvents, args)

    return this
  }

  servicePublishers.set(service, publishers)

  for (const name of ['publish', 'registerPublisher']) {
    Object.defineProperty(service, name, { value: publish, configurable: true, writable: true })
  }

  for (const event of serviceEvents) {
    service.on(event, (data: unknown, context = { path, service, app, result: data } as any) => {
      const serviceEvent = { path, event, data, context }

      if (!isSecret(service, serviceEvent)) relayEvent(app, serviceEvent)
      publishEvent(app, service, serviceEvent)
    })
  }
}

/**
 * Asks the publisher of an event for channels, and tells the application, whose transports send it. Listeners of the
 * service hear nothing of it: it is how an event of another process reaches the connections of this one.
 *
 * @param app The application
 * @param service The registered service
 */
export function publishEvent(
  app: PublishingApplication,
  service: any,
  { event, data, context }: ServiceEvent
): void {
  const publisher = isSecret(service, { event, data }) ? undefined : findPublisher(app, service, event)

  if (!publisher) return

  const key = toKey(service, data)
  const before = waiting.get(service)?.get(key)

  try {
    const found: any = publisher(data, context)

    if (!before && !isPromise(found)) send(app, event, toChannel(found), data, context)
    else queue(service, key, sendLater(app, event, found, data, context, before))
  } catch (error) {
    reportError(app, error, context)
  }
}

const positions = new WeakMap<readonly unknown[], Map<unknown, number>>()

/**
 * What connections get to see of an event: the dispatch of the call before its result. Where these are lists, each
 * event is about one of their items.
 *
 * @param context The context of the call
 * @param data What the event is about
 * @throws Error for an item that is not in the result: what may be shown of it is not known
 */
export function toShown({ path, result, dispatch }: HookContext, data: unknown): unknown {
  const shown: unknown = dispatch !== undefined ? dispatch : result

  if (Array.isArray(data) || !Array.isArray(result) || !Array.isArray(shown)) return shown
  if (shown === result) return data

  const position = getPosition(result, data)

  if (position === undefined) {
    throw new Error(`An event of '${path}' is about an item that is not in the result of its context`)
  }

  return shown[position]
}

/** Looked up and not searched for: it is asked for each item of a result. */
function getPosition(result: readonly unknown[], item: unknown): number | undefined {
  const known = positions.get(result) ?? new Map(result.map((value, position) => [value, position]))

  positions.set(result, known)

  return known.get(item)
}

function relayEvent(app: PublishingApplication, serviceEvent: ServiceEvent): void {
  for (const relay of app._relays) {
    try {
      relay(serviceEvent)
    } catch (error) {
      reportError(app, error, serviceEvent.context)
    }
  }
}

/** Once the publisher has decided, and the events of the record before this one are sent. */
async function sendLater(
  app: PublishingApplication,
  event: string,
  found: unknown,
  data: unknown,
  context: HookContext,
  before: Promise<void> | undefined
): Promise<void> {
  const hasLeft = watchDepartures()

  try {
    const [channels] = await Promise.all([found, before])

    // What a publisher has chosen from a channel does not change when somebody logs out.
    send(app, event, toChannel(channels, hasLeft), data, context)
  } catch (error) {
    // What came before must be sent before what comes next, whatever went wrong here.
    await before
    reportError(app, error, context)
  }
}

function queue(service: object, key: unknown, sending: Promise<void>): void {
  const records = waiting.get(service) ?? new Map<unknown, Promise<void>>()

  waiting.set(service, records)
  records.set(key, sending)
  void sending.then(() => {
    if (records.get(key) === sending) records.delete(key)
  })
}

function send(
  app: PublishingApplication,
  event: string,
  channel: CombinedChannel,
  data: unknown,
  context: HookContext
): void {
  if (channel.length > 0) emitSafely(app, app, 'publish', [event, channel, context, data])
}

/** All channels that a publisher has returned, as one, without those who have left. */
function toChannel(found: unknown, hasLeft?: (connection: object) => boolean): CombinedChannel {
  const channels = [found].flat(Number.POSITIVE_INFINITY).filter(Boolean)

  return new CombinedChannel(channels.map(assertChannel), null, hasLeft)
}

/** An access token is sent to connections by a publisher of its service alone, never by one that is for all services. */
function isSecret(service: object, { event, data }: Pick<ServiceEvent, 'event' | 'data'>): boolean {
  const own = servicePublishers.get(service)

  return isTokenResponse(data) && !own?.has(event) && !own?.has(ANY)
}

/** Of the service before that of the application, and of the event before that of all events. */
function findPublisher(app: PublishingApplication, service: object, event: string): Publisher | undefined {
  const own = servicePublishers.get(service)

  return own?.get(event) ?? own?.get(ANY) ?? app._publishers.get(event) ?? app._publishers.get(ANY)
}

/** What is kept in order: the events of one record, or those of a service that concern no record. */
function toKey({ id: idField = 'id' }: { id?: string }, data: any): unknown {
  const id = data?.[idField]

  // What a client has put there is no id of a record, and may not even be made a text.
  if (Array.isArray(id) || isPlainObject(id)) return undefined

  return typeof id === 'object' && id !== null ? String(id) : id
}

function setPublisher(publishers: Publishers, events: readonly string[], args: readonly unknown[]): void {
  const [event, publisher] = args.length > 1 ? args : [ANY, ...args]

  if (event !== ANY && !events.includes(event as string)) {
    throw new Error(`'${String(event)}' is not a valid service event`)
  }
  if (typeof publisher !== 'function') {
    throw new TypeError(`Invalid publisher: expected a function, got ${typeof publisher}`)
  }

  publishers.set(event as string, publisher as Publisher)
}

function assertChannel(value: any): Channel {
  if (typeof value?.join !== 'function' || !Array.isArray(value.connections)) {
    throw new TypeError('Invalid result of a publisher: expected channels, as app.channel() returns them')
  }

  return value
}

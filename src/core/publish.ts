import { getSlots, setSlots } from '../utils/call-state.ts'
import { isObject } from '../utils/check.ts'
import { createError, createTypeError } from '../utils/developer-error.ts'
import { showInstances, showRecords } from '../utils/dispatch.ts'
import { copyPlain, copyWith, isPlainObject } from '../utils/object.ts'
import { isPromise } from '../utils/promise.ts'
import { findTokenResponse } from '../utils/token-response.ts'
import { Channel, CombinedChannel } from './channel.ts'
import type { Emitter, EmitterLike } from './emitter.ts'
import { emitSafely, reportError } from './events.ts'
import { getHome } from './extensions.ts'
import { type EventStamp, getInternals, type Publishers, type ServiceEvent } from './internals.ts'
import { getServiceOptions } from './service.ts'
import { withoutPrivateFields, withShown } from './shown.ts'
import type { FeathersApplication, FeathersService, HookContext, Publisher } from './types.ts'

/** What publishing keeps for one service. */
interface Publishing {
  readonly publishers: Publishers
  /** Events that wait for the publisher of one before, by record. */
  readonly sending: Map<unknown, Promise<void>>
  /** Whether the service has no `publish` of its own. */
  isOurs?: boolean
  /** The applications that have mounted the one of the service, and the path of the service there. */
  readonly mounts: WeakMap<object, Set<string>>
}

/** Where a service has its {@link Publishing}. */
const PUBLISHING = Symbol('alula/publishing')

declare module '../utils/call-state.ts' {
  interface ContextSlots {
    /** The positions of the items in the result. */
    readonly positions?: Positions
  }
}

/** Stands for all events. */
const ANY = Symbol('any event')

/**
 * Registers a publisher of an application or a service. It replaces the one for the same event. `args` are the name of an
 * event, or none for all events, and the publisher. Throws an Error for another event, TypeError for what is no function.
 */
export function setPublisher(
  publishers: Publishers,
  events: readonly string[],
  args: readonly unknown[]
): void {
  const [event, publisher] = args.length > 1 ? args : [ANY, ...args]

  if (event !== ANY && !events.includes(event as string)) {
    throw createError('ALULA_UNKNOWN_EVENT', `'${String(event)}' is not a valid service event`)
  }
  if (typeof publisher !== 'function') {
    throw createTypeError(
      'ALULA_INVALID_PUBLISHER',
      `Invalid publisher: expected a function, got ${typeof publisher}`
    )
  }

  publishers.set(event as string, publisher as Publisher)
}

/**
 * Gives a service its `publish` function, and has each of its events published. A service that has a `publish` of its
 * own does that itself. The events of a sub-application reach the connections of the outer one too, under the path there.
 */
export function implementPublish(service: FeathersService, path: string, app: EmitterLike): void {
  const { app: home } = getHome(service, path, app)
  const isMounted = home !== app

  if (isMounted) includeChannels(app as Emitter, home)
  if (isMounted ? !isNewMount(service, path, app) : typeof service.publish === 'function') return
  if (!isMounted) addPublish(service)

  const { serviceEvents } = getServiceOptions(service)
  const { publishers } = getPublishing(service)
  const internals = getInternals(app)

  for (const event of serviceEvents) {
    service.on(event, (data: unknown, given?: HookContext) => {
      const { log, toEventContext, eventTracer } = internals

      // Nothing is made for an event that goes nowhere.
      if (!log?.isShared && !getPublisher(app, service, event)) return
      if (isMounted && (app as Partial<FeathersApplication>).services?.[path] !== service) return

      // An event that code sends has none.
      const sent = isObject(given)
        ? given
        : ({ path, service, app: home, result: data } as unknown as HookContext)
      const made = toEventContext?.(home, { service, event, data, context: sent }) ?? sent
      const context = isMounted ? Object.create(made, { path: { value: path, enumerable: true } }) : made
      const pass = (serviceEvent: ServiceEvent) => {
        // An access token is sent to connections by a publisher of its service alone, and is not kept.
        const isSecret = hasToken(serviceEvent)

        if (isSecret && !publishers.has(event) && !publishers.has(ANY)) return
        if (log && !isSecret) log.append(service, serviceEvent)
        else publishEvent(app, service, serviceEvent)
      }

      if (eventTracer?.isOn) eventTracer.emit({ path, event, data, context }, pass)
      else pass({ path, event, data, context })
    })
  }
}

/** Takes connections of an application out of the channels of a sub-application when they leave its own. */
function includeChannels(app: Emitter, inner: object): void {
  const { channels } = getInternals(app)

  channels.include(getInternals(inner).channels)
  channels.watch(app)
}

/** Whether the events of a service have to be sent under a path: it may have been there before, and removed. */
function isNewMount(service: FeathersService, path: string, app: object): boolean {
  const { isOurs, mounts } = getPublishing(service)
  const paths = mounts.get(app) ?? new Set()
  const isNew = isOurs === true && !paths.has(path)

  mounts.set(app, paths.add(path))

  return isNew
}

function addPublish(service: FeathersService): void {
  const { serviceEvents } = getServiceOptions(service)
  const publishing = getPublishing(service)

  function publish(this: unknown, ...args: readonly unknown[]): unknown {
    setPublisher(publishing.publishers, serviceEvents, args)

    return this
  }

  publishing.isOurs = true
  for (const name of ['publish', 'registerPublisher']) {
    Object.defineProperty(service, name, { value: publish, configurable: true, writable: true })
  }
}

/**
 * Asks the publisher of an event for channels, and tells the application, whose transports send it. Listeners of the
 * service do not get it: it is how an event of another process reaches the connections of this one.
 */
export function publishEvent(app: EmitterLike, service: object, serviceEvent: ServiceEvent): void {
  const { event, data, context, place } = serviceEvent
  const publisher = getPublisher(app, service, event)

  if (!publisher) return

  const { sending } = getPublishing(service)
  const key = toKey(service, data)
  const before = sending.get(key)

  try {
    const found: unknown = publisher(data, context)

    if (before || isPromise(found)) queue(sending, key, sendLater(app, service, serviceEvent, found, before))
    else send(app, serviceEvent, toChannel(found, place?.isReplayedTo))
  } catch (error) {
    reportFailure(app, serviceEvent, error)
  }
}

/** Tells the application and tools that a publisher has failed. */
function reportFailure(app: EmitterLike, serviceEvent: ServiceEvent, error: unknown): void {
  getInternals(app).eventTracer?.fail(serviceEvent, error)
  reportError(app, error, serviceEvent.context)
}

/**
 * Asks the publisher of an event, as other processes get it, for channels, and sends it to one connection, as far as that is in
 * them.
 */
export async function publishTo(
  app: EmitterLike,
  service: object,
  serviceEvent: ServiceEvent,
  connection: object,
  stamp: EventStamp
): Promise<void> {
  const { data, context, event } = serviceEvent

  try {
    const hasLeft = watchDepartures(app, service, serviceEvent.path)
    const found: unknown = getPublisher(app, service, event)?.(data, context)
    // Not all at once in one channel: that costs as much as it has connections.
    const channels = toChannels(isPromise(found) ? await found : found)
    const channel = hasLeft(connection) ? undefined : channels.find((one) => hasMember(one, connection))

    if (!channel) return

    // As it is sent to all: of several channels in one, the data of that one.
    send(app, serviceEvent, new CombinedChannel([new Channel([connection], channel.data)]), stamp)
  } catch (error) {
    reportFailure(app, serviceEvent, error)
  }
}

/**
 * The publisher of an event: that of the service before that of the application, and that of the event before that of all events.
 */
export function getPublisher(app: object, service: object, event: string): Publisher | undefined {
  const { publishers: own } = getPublishing(service)
  const { publishers: shared } = getInternals(app)

  return own.get(event) ?? own.get(ANY) ?? shared.get(event) ?? shared.get(ANY)
}

/** Made for services that publish by themselves too: events of other processes are published here. */
function getPublishing(service: object): Publishing {
  const owner = service as { [PUBLISHING]?: Publishing }

  if (!owner[PUBLISHING]) {
    const value: Publishing = { publishers: new Map(), sending: new Map(), mounts: new WeakMap() }

    Object.defineProperty(owner, PUBLISHING, { value })
  }

  return owner[PUBLISHING] as Publishing
}

/**
 * What connections get to see of an event: the dispatch of the call before its result. Where these are lists, each event is
 * about one of their items. Throws an Error for an item that is not in the result: what may be shown of it is not known.
 */
export function toEventData(context: HookContext, data: unknown): unknown {
  const { app } = context
  const shown = findShown(context, data)

  return showRecords(app ? withoutPrivateFields(app, shown) : shown)
}

function findShown(context: HookContext, data: unknown): unknown {
  const { path, result, dispatch } = context
  const shown: unknown = dispatch !== undefined ? dispatch : result

  // A hook before the method has sent the event.
  if (shown === undefined) return data
  if (Array.isArray(data) || !Array.isArray(result) || !Array.isArray(shown)) return shown
  if (shown === result) return data

  const position = getPositions(context, result).get(data)

  if (position === undefined) {
    throw createError(
      'ALULA_UNKNOWN_ITEM',
      `An event of '${path}' is about an item that is not in the result of its context`
    )
  }

  return shown[position]
}

/** Kept on the context, because it is asked for each item of a result. */
function getPositions(context: HookContext, result: readonly unknown[]): ReadonlyMap<unknown, number> {
  const { positions } = getSlots(context)

  if (positions?.result === result) return positions.byItem

  const byItem = new Map(result.map((item, position) => [item, position]))

  setSlots(context, { positions: { result, byItem } })

  return byItem
}

interface Positions {
  readonly result: readonly unknown[]
  readonly byItem: ReadonlyMap<unknown, number>
}

/**
 * An event as it is now, for later: code that has got the result of the call may change it. Async for those who await it
 * beside others, of which none must reject unheard.
 */
export async function copyEvent(serviceEvent: ServiceEvent): Promise<ServiceEvent> {
  const { context, data } = serviceEvent

  const shown = showInstances(copyPlain(toEventData(context, data)))

  return copyWith(serviceEvent, { context: withShown(context, shown) })
}

/** Sends an event once its publisher has decided and the earlier events of the same record are sent. */
async function sendLater(
  app: EmitterLike,
  service: object,
  serviceEvent: ServiceEvent,
  found: unknown,
  before: Promise<void> | undefined
): Promise<void> {
  const { path, place } = serviceEvent
  const { copyEvent: copy } = getInternals(app)
  const hasLeft = watchDepartures(app, service, path)

  place?.begin()

  try {
    const [event, channels] = await Promise.all([copy?.(serviceEvent) ?? serviceEvent, found, before])
    const isReplayedTo = place?.isReplayedTo

    // What a publisher has chosen from a channel does not change when a connection logs out.
    send(
      app,
      event,
      toChannel(channels, (connection) => hasLeft(connection) || isReplayedTo?.(connection) === true)
    )
  } catch (error) {
    // What came before must be sent before what comes next, whatever went wrong here.
    await before
    reportFailure(app, serviceEvent, error)
  } finally {
    place?.end()
  }
}

/** Says of a connection whether it has left all channels since: of the application, or of the one where the service is at home. */
function watchDepartures(app: object, service: object, path: string): (connection: object) => boolean {
  const watched = [...new Set([app, getHome(service, path, app).app])]
  const departures = watched.map((one) => getInternals(one).channels.watchDepartures())

  return (connection) => departures.some((hasLeft) => hasLeft(connection))
}

function queue(sending: Publishing['sending'], key: unknown, sent: Promise<void>): void {
  sending.set(key, sent)
  void sent.then(() => {
    if (sending.get(key) === sent) sending.delete(key)
  })
}

/** The events of a service whose publishers run, or that wait for those of other events. */
export function listUnpublished(service: object): readonly Promise<void>[] {
  return [...getPublishing(service).sending.values()]
}

function send(
  app: EmitterLike,
  serviceEvent: ServiceEvent,
  channel: CombinedChannel,
  stamp?: EventStamp
): void {
  if (channel.length === 0) return

  const { event, data, context, place } = serviceEvent
  const given = stamp ?? place?.toStamp()

  const deliver = () =>
    emitSafely(app, app, 'publish', [event, channel, context, data, ...(given ? [given] : [])])

  const { eventTracer } = getInternals(app)

  if (eventTracer?.isOn) eventTracer.deliver(serviceEvent, channel.length, deliver)
  else deliver()
}

/** All channels that a publisher has returned, as one, without connections that do not get the event. */
function toChannel(found: unknown, isExcluded?: (connection: object) => boolean): CombinedChannel {
  return new CombinedChannel(toChannels(found), null, isExcluded)
}

function toChannels(found: unknown): Channel[] {
  return [found].flat(Number.POSITIVE_INFINITY).filter(Boolean).map(assertChannel)
}

/** Without a copy of its members; a channel of Feathers has no set of them. */
function hasMember(channel: Channel, connection: object): boolean {
  return channel._members?.has(connection) ?? channel.connections.includes(connection)
}

/** Whether an event carries an access token, for listeners or for clients. */
function hasToken({ data, context }: ServiceEvent): boolean {
  return findTokenResponse(data) !== undefined || findTokenResponse(context.dispatch) !== undefined
}

/** What is kept in order: the events of one record, or those of a service that concern no record. */
function toKey({ id: idField = 'id' }: { id?: string }, data: Record<string, unknown> | undefined): unknown {
  const id = data?.[idField]

  // A client may have put anything there: it is not the id of a record, and converting it to a string may fail.
  if (Array.isArray(id) || isPlainObject(id)) return undefined

  return typeof id === 'object' && id !== null ? String(id) : id
}

function assertChannel(value: unknown): Channel {
  const { join, connections } = (value ?? {}) as Partial<Channel>

  if (typeof join !== 'function' || !Array.isArray(connections)) {
    throw createTypeError(
      'ALULA_INVALID_RETURN_VALUE',
      'Invalid result of a publisher: expected channels, as app.channel() returns them'
    )
  }

  return value as Channel
}

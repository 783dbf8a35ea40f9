import { emitSafely, reportError } from '../core/events.ts'
import { getInternals, type Relay, type ServiceEvent } from '../core/internals.ts'
import { publishEvent } from '../core/publish.ts'
import type { Application } from '../core/types.ts'
import { RedisConnection, type RedisSettings } from '../redis/connection.ts'
import { createDebug } from '../utils/debug.ts'
import { createTypeError } from '../utils/developer-error.ts'
import { Availability, type Outage } from './availability.ts'
import { type Gap, Inbox } from './inbox.ts'
import { toEventText, toReceivedEvent } from './message.ts'
import { Outbox } from './outbox.ts'
import type { SharedRevocationStore } from './revocation.ts'
import type { StreamEntry } from './stream.ts'

/** What a link goes by. */
export interface LinkSettings extends RedisSettings {
  readonly maxLength: number
  readonly maxBytes: number
  /** The names of further params that travel. */
  readonly params: readonly string[]
  /** Which events travel. */
  readonly filter: (event: ServiceEvent) => boolean
  /** Where tokens are revoked; `undefined` when that is no matter of ours. */
  readonly revocations: SharedRevocationStore | undefined
}

const debug = createDebug('alula:sync')

/** How long, in milliseconds, the end waits for what is not sent yet. */
const CLOSE_TIME = 2000

/** What connects an application with the same application in other processes, from its set-up to its end. */
export class Link {
  private readonly app: Application
  private readonly settings: LinkSettings
  private readonly connections: RedisConnection[] = []
  private readonly availability: Availability
  private outbox: Outbox | undefined

  /**
   * @param app The application
   * @param settings Where Redis is, and what to send over it
   */
  constructor(app: Application, settings: LinkSettings) {
    this.app = app
    this.settings = settings
    this.availability = new Availability(
      (outage) => this.handleAway(outage),
      (outage) => this.handleBack(outage)
    )
  }

  /**
   * Connects to Redis. From then on events travel.
   *
   * @throws Error when Redis does not respond in time
   */
  async start(): Promise<void> {
    const { prefix, maxLength, maxBytes, revocations } = this.settings
    const stream = { key: `${prefix}:events`, maxLength, maxBytes }

    await revocations?.connect(this.availability)

    const [reading, writing] = [await this.connect(), await this.connect()]
    const outbox = await Outbox.create(writing, stream, (missed) =>
      this.handleGap({ origin: outbox.origin, missed })
    )
    const inbox = new Inbox(reading, stream, outbox, {
      entry: (entry) => this.receive(entry),
      gap: (gap) => this.handleGap(gap),
      loss: () => this.handleLoss()
    })

    // First: the replies to the greeting have to be read.
    await inbox.start()
    await outbox.start()

    this.outbox = outbox
    getInternals(this.app).relays.add(this.relay)
    if (revocations) revocations.announce = (id) => outbox.add('revocation', id)
  }

  /** Sends what is left, and ends the connections. */
  async stop(): Promise<void> {
    const { revocations } = this.settings

    getInternals(this.app).relays.delete(this.relay)
    if (revocations) revocations.announce = undefined

    await this.outbox?.close(CLOSE_TIME)

    for (const connection of this.connections.splice(0)) connection.close()
    revocations?.close()
  }

  private async connect(): Promise<RedisConnection> {
    const { redis, connectTimeout } = this.settings
    const connection = await RedisConnection.open(redis, connectTimeout, this.availability)

    this.connections.push(connection)

    return connection
  }

  private readonly relay: Relay = (event) => {
    const { params, filter } = this.settings

    const isChosen: unknown = filter(event)

    // A promise would count as a yes.
    if (isChosen instanceof Promise) {
      throw createTypeError(
        'ALULA_INVALID_RETURN_VALUE',
        "The 'filter' of sync returned a promise: it has to decide at once"
      )
    }

    if (isChosen) this.outbox?.add('event', toEventText(event, [getEntityName(this.app), ...params]))
  }

  private receive({ origin, kind, text }: StreamEntry): void {
    debug('Received: %s of %s', kind, origin)

    try {
      if (kind === 'event') this.publish(text)
      else if (kind === 'revocation') this.settings.revocations?.notify(text)
    } catch (cause) {
      reportError(this.app, new Error('A message from another process cannot be read', { cause }))
    }
  }

  private publish(text: string): void {
    const received = toReceivedEvent(this.app, text)

    if (received) publishEvent(this.app, received.service, received.serviceEvent)
  }

  private handleAway(outage: Outage): void {
    const message = 'Redis is away: events wait, and do not reach other processes'

    debug('Redis is away: %s', outage.error.message)
    reportError(this.app, new Error(message, { cause: outage.error }))
    emitSafely(this.app, this.app, 'sync:away', [outage])
  }

  private handleBack(outage: Outage): void {
    debug('Redis is back; it was away since %s', outage.since.toISOString())
    emitSafely(this.app, this.app, 'sync:back', [outage])
  }

  private handleGap(gap: Gap): void {
    const error = new Error(toSentence(gap, this.outbox?.origin))

    debug('%s', error.message)
    reportError(this.app, error)
    emitSafely(this.app, this.app, 'sync:gap', [gap])
    this.settings.revocations?.notify()
  }

  private handleLoss(): void {
    debug('Redis has lost its data: it is sent again')
    this.settings.revocations?.notify()
  }
}

/** The name that the strategies give the logged-in user. It may be set at any time. */
function getEntityName(app: Application): string {
  return app.defaultAuthentication?.()?.configuration.entity ?? 'user'
}

function toSentence({ origin, missed }: Gap, own: string | undefined): string {
  const events = missed === undefined ? 'Events' : missed === 1 ? '1 event' : `${missed} events`

  return origin === own && own !== undefined
    ? `${events} of this process did not reach others: Redis was away for too long, or they were too large`
    : `${events} of other processes did not reach this one: one of the processes was away from Redis for too long, or the events were too large`
}

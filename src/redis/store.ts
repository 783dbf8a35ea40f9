import { Unavailable } from '../errors.ts'
import { withTimeout } from '../utils/with-timeout.ts'
import { type Client, type ConnectionListener, RedisConnection } from './connection.ts'
import type { RedisSettings } from './options.ts'

/** How long, in milliseconds, a request waits for Redis. A process that is busy itself must not take that for an outage. */
const TIMEOUT = 2000

/** What holds for a store of any kind. */
export interface StoreDescription {
  /** What it keeps, as a sentence begins: `Sessions`. */
  readonly content: string
  /** What needs the package `redis`, for the message without it. */
  readonly user?: string
}

const NO_LISTENER: ConnectionListener = { away: () => undefined, back: () => undefined }

/** The connection of a store. As long as Redis is away, what asks it fails. */
export class StoreConnection {
  private readonly settings: RedisSettings
  private readonly description: StoreDescription
  private connection: RedisConnection | undefined
  /** How often it was closed: a connection that was being made then is not kept. */
  private closings = 0

  constructor(settings: RedisSettings, description: StoreDescription) {
    this.settings = settings
    this.description = description
  }

  /**
   * Connects to Redis. From then on the connection comes back by itself; `handleConnection` runs when Redis can be asked, at
   * first and again. Throws an Error when Redis does not respond in time.
   */
  async open(
    listener: ConnectionListener = NO_LISTENER,
    handleConnection: () => void = () => undefined
  ): Promise<void> {
    const { redis, connectTimeout } = this.settings
    const { closings } = this
    const connection = await RedisConnection.open(redis, connectTimeout, listener, this.description.user)

    if (this.closings !== closings) {
      connection.close()
      throw new Error('The connection to Redis was closed while it was made')
    }

    this.connection?.close()
    this.connection = connection
    await connection.keep(async () => handleConnection())
  }

  /** Ends the connection. `open` makes another one. */
  close(): void {
    this.closings++
    this.connection?.close()
    this.connection = undefined
  }

  /** Whether Redis can be asked now. */
  get isReady(): boolean {
    return this.connection?.client.isReady ?? false
  }

  /** Whether there is a connection, which comes back by itself. */
  get isOpen(): boolean {
    return this.connection !== undefined
  }

  /** Asks Redis. Throws Unavailable when Redis does not respond, also if what was asked has been done all the same. */
  async ask<T>(question: (client: Client) => Promise<T>): Promise<T> {
    const { connection, description } = this
    const { content } = description

    if (!connection) throw new Unavailable(`${content} cannot be looked up: Redis is not connected`)

    try {
      return await withTimeout(question(connection.client), TIMEOUT)
    } catch (cause) {
      // Only of a copy of another server, which may be reached under the same name by now.
      if (isReadOnly(cause)) connection.retry(cause)

      throw Object.assign(new Unavailable(`${content} cannot be looked up at the moment`), { cause })
    }
  }
}

function isReadOnly(error: unknown): error is Error {
  // Of a script, Redis before 7 says more in front of it.
  return error instanceof Error && error.message.includes('READONLY')
}

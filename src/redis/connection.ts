import type {
  createClient,
  RedisClientOptions,
  RedisFunctions,
  RedisModules,
  RedisScripts,
  RespVersions,
  TypeMapping
} from 'redis'
import { createDebug } from '../utils/debug.ts'
import { rethrowMissingPeer } from '../utils/peer.ts'
import { withTimeout } from '../utils/with-timeout.ts'
import type { RedisSettings } from './options.ts'

/** A client of the package `redis`. It is only asked for others like it. */
export interface RedisClient {
  duplicate(overrides?: object): unknown
}

/** Where Redis is: a URL, options of `createClient` of the package `redis`, or a client that it made. */
export type RedisLocation =
  | string
  | RedisClientOptions<RedisModules, RedisFunctions, RedisScripts, RespVersions, TypeMapping>
  | RedisClient

/** A client with the commands of Redis. */
export type Client = ReturnType<typeof createClient>

const debug = createDebug('alula:redis')

/** How long, in milliseconds, Redis may be silent before the connection counts as lost. */
const SILENCE = 5000

/** How often an idle Redis is pinged, in milliseconds. */
const PING_INTERVAL = 1000

/** The longest pause between two attempts, in milliseconds. */
const MAX_PAUSE = 1000

/** Is called when the connection of a process is made or lost. */
export interface ConnectionListener {
  /** A connection is lost, or Redis refuses to do what it is for. Called again for each attempt that fails. */
  away(connection: RedisConnection, error: Error): void
  /** What a connection is for goes on. */
  back(connection: RedisConnection): void
}

/** A connection to Redis that comes back by itself, and what goes on over it. */
export class RedisConnection {
  readonly client: Client
  private readonly listener: ConnectionListener
  private begin: () => Promise<void> = async () => undefined
  private timer: NodeJS.Timeout | undefined

  private constructor(client: Client, listener: ConnectionListener) {
    this.client = client
    this.listener = listener
  }

  /**
   * Connects to Redis. `timeout` is how long to try, in milliseconds; `listener` is called once the connection is made; `user`
   * is what needs it, for the message without the package `redis`. Throws an Error when Redis does not respond in time.
   */
  static async open(
    redis: RedisSettings['redis'],
    timeout: number,
    listener: ConnectionListener,
    user = "'alula/sync'"
  ): Promise<RedisConnection> {
    const connection = new RedisConnection(await createRedisClient(redis, user), listener)
    const { client } = connection
    let reason: Error | undefined

    client.on('error', (error: Error) => {
      debug('Redis: %s', toMessage(error))
      reason = error
    })

    try {
      await withTimeout(client.connect(), timeout)
    } catch (error) {
      connection.close()

      const cause = reason ?? (error as Error)

      throw new Error(`Redis cannot be reached: ${toMessage(cause)}`, { cause })
    }

    client.on('error', (error: Error) => {
      // Others are about the attempts of one that is there again.
      if (!client.isReady) listener.away(connection, error)
    })

    return connection
  }

  /**
   * Begins something, and begins it again each time that the connection was lost and is back. The first error is thrown, later
   * ones are followed by another attempt.
   */
  async keep(begin: () => Promise<void>): Promise<void> {
    this.begin = begin
    await begin()
    this.client.on('ready', () => void this.beginAgain())
  }

  /**
   * Connects and begins again after a pause, for an error of a Redis that is reachable: it may be loading its data, have no
   * memory left, or have become a replica, while its name already resolves to another server. When the connection is lost, there
   * is nothing to do here.
   */
  retry(error: Error): void {
    if (!this.client.isReady || this.timer) return

    this.listener.away(this, error)
    this.timer = setTimeout(() => this.connectAgain(), MAX_PAUSE)
  }

  /** Begins again what is kept going. */
  async beginAgain(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined

    try {
      await this.begin()
      this.listener.back(this)
    } catch (error) {
      this.retry(error as Error)
    }
  }

  private connectAgain(): void {
    this.timer = undefined

    // It was lost meanwhile, and is made again by itself.
    if (!this.client.isReady) return

    this.client.destroy()
    // It is tried until it succeeds, or ends with `close`.
    this.client.connect().catch(() => undefined)
  }

  /** Ends the connection; requests without a reply are refused. */
  close(): void {
    const { client } = this

    clearTimeout(this.timer)
    client.removeAllListeners('ready')
    // One that is being made would be made all the same.
    client.once('connect', () => client.destroy())
    client.destroy()
  }
}

/** A client for us alone, whatever the options for others say. */
async function createRedisClient(redis: RedisSettings['redis'], user: string): Promise<Client> {
  const given: { socket?: object } | undefined =
    typeof redis === 'string' ? { url: redis } : isClient(redis) ? redis.options : redis
  const options = {
    socket: {
      ...given?.socket,
      socketTimeout: SILENCE,
      // It retries for ever: an outage is reported to the application, which need not decide to reconnect.
      reconnectStrategy: toPause
    },
    // What cannot be sent now is sent by us later, or refused at once.
    disableOfflineQueue: true,
    commandOptions: { timeout: 0 },
    commandsQueueMaxLength: undefined,
    clientSideCache: undefined,
    pingInterval: PING_INTERVAL
  }

  if (isClient(redis)) return redis.duplicate(options) as Client

  const { createClient } = await import('redis').catch(rethrowMissingPeer('redis', user))

  return createClient({ ...given, ...options }) as unknown as Client
}

function isClient(redis: string | object): redis is RedisClient & { options?: object } {
  return typeof (redis as RedisClient).duplicate === 'function'
}

/** Longer each time, and not the same in all processes. */
function toPause(attempts: number): number {
  return Math.min(25 * 2 ** attempts, MAX_PAUSE) * (0.75 + Math.random() / 4)
}

/** One that stands for several, as for `localhost`, has no message. */
function toMessage({ message, code }: Error & { code?: string }): string {
  return message || code || 'unknown error'
}

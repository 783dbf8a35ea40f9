import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createClient } from 'redis'
import { onTestFinished } from 'vitest'
import { answers } from './answers.ts'
import { describeUnless } from './describe-unless.ts'

/** The Redis that tests share. */
export const REDIS_URL = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379'

/** Tests that need Redis. Without one they are skipped, or fail where all servers have to be there. */
export const describeRedis = describeWith(
  await answers(REDIS_URL, 6379),
  `no Redis answers at ${REDIS_URL}: start one with 'redis-server'`
)

/** Tests that start a Redis of their own, to stop it. */
export const describeOwnRedis = describeWith(
  spawnSync('redis-server', ['--version']).status === 0,
  "the command 'redis-server' is not there: install Redis"
)

/** A prefix that no other test has. What is stored under it is deleted when the test ends. */
export function createPrefix(): string {
  const prefix = `alula-test-${randomUUID()}`

  onTestFinished(async () => {
    const client = createClient({ url: REDIS_URL })

    await client.connect()
    for await (const keys of client.scanIterator({ MATCH: `${prefix}*`, COUNT: 1000 })) {
      if (keys.length > 0) await client.del(keys)
    }
    client.destroy()
  })

  return prefix
}

/** A Redis that can be stopped. */
export interface OwnRedis {
  readonly url: string
  /** Ends the process, as if its machine failed. */
  kill(): Promise<void>
  /** Starts it again, on the same port. */
  start(): Promise<void>
  /** Has it hang: connections stay, and are not answered. */
  pause(): void
  /** Has it go on. */
  resume(): void
}

interface OwnRedisOptions {
  /** Unless it is, it forgets everything when it ends. */
  readonly isPersistent?: boolean
  /** Registers what ends it; with the test when left out. */
  readonly whenDone?: (end: () => Promise<void>) => void
}

/** Starts a Redis on a free port. */
export async function startRedis({
  isPersistent = false,
  whenDone = onTestFinished
}: OwnRedisOptions = {}): Promise<OwnRedis> {
  const port = await findPort()
  const directory = await mkdtemp(join(tmpdir(), 'alula-redis-'))
  let child: ChildProcess | undefined

  async function start(): Promise<void> {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', directory]

    child = spawn('redis-server', [...args, '--appendonly', isPersistent ? 'yes' : 'no'], {
      stdio: ['ignore', 'pipe', 'inherit']
    })

    const lines = createInterface({ input: child.stdout as NonNullable<ChildProcess['stdout']> })

    for await (const line of lines) {
      if (line.includes('Ready to accept connections')) break
    }
    child.stdout?.resume()
  }

  async function kill(): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return

    const exit = once(child, 'exit')

    child.kill('SIGKILL')
    await exit
  }

  whenDone(async () => {
    await kill()
    await rm(directory, { recursive: true, force: true })
  })
  await start()

  return {
    url: `redis://127.0.0.1:${port}`,
    kill,
    start,
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT')
  }
}

/** A port on which nothing listens. */
export async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')

  await once(server, 'listening')

  const { port } = server.address() as { port: number }

  server.close()
  await once(server, 'close')

  return port
}

function describeWith(isThere: boolean, reason: string): (name: string, define: () => void) => void {
  return (name, define) => {
    describeUnless(isThere ? undefined : reason, name, define)
  }
}

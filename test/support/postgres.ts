import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { describeUnless } from './describe-unless.ts'
import { findPort } from './redis.ts'

/** A PostgreSQL that can be stopped. */
export interface OwnPostgres {
  readonly url: string
  /** Ends it: `SIGKILL` and `SIGQUIT` as if it failed, `SIGINT` in order. */
  stop(signal: 'SIGKILL' | 'SIGQUIT' | 'SIGINT'): Promise<void>
  /** Starts it again, on the same port; resolves when it takes connections. */
  start(): Promise<void>
}

interface User {
  readonly uid: number
  readonly gid: number
}

/** Where Debian and its kin keep the server, the newest version first. */
const BIN = [process.env.POSTGRES_BIN ?? '', ...findInstalled()].find((path) =>
  existsSync(join(path, 'initdb'))
)

/** The server refuses to run as root. */
const USER: Partial<User> | undefined = process.getuid?.() === 0 ? findUser('postgres') : {}

/** Tests that start a PostgreSQL of their own, to stop it. */
export function describeOwnPostgres(name: string, define: () => void): void {
  describeUnless(findLack(), name, define)
}

/** The versions besides that of the machine which tests start. */
export const POSTGRES_VERSIONS = ['16', '17', '18'] as const

/** The folder of the programs of a version, where `scripts/install-servers.mjs` puts it. */
export function findPostgres(version: string): string {
  return fileURLToPath(new URL(`../servers/node_modules/postgres-${version}/native/bin`, import.meta.url))
}

/** Tests that start a version of PostgreSQL. */
export function describePostgres(version: string, define: (bin: string) => void): void {
  const bin = findPostgres(version)
  const lack = existsSync(bin)
    ? findUserLack()
    : `PostgreSQL ${version} is not there: node scripts/install-servers.mjs installs it on Linux`

  describeUnless(lack, `PostgreSQL ${version}`, () => define(bin))
}

/**
 * Starts a PostgreSQL on a free port.
 *
 * @param bin The folder of its programs; that of the machine by default
 * @param onEnd What stops it; with the test by default
 */
export async function startPostgres(
  bin = BIN as string,
  onEnd: (stop: () => Promise<void>) => void = onTestFinished
): Promise<OwnPostgres> {
  const port = await findPort()
  const directory = mkdtempSync(join(tmpdir(), 'alula-postgres-'))
  let child: ChildProcess | undefined

  if (USER?.uid !== undefined && USER.gid !== undefined) chownSync(directory, USER.uid, USER.gid)

  const init = spawnSync(
    join(bin, 'initdb'),
    ['-D', directory, '-U', 'postgres', '-A', 'trust', '--no-sync', '--locale=C', '-E', 'UTF8'],
    { ...USER, cwd: directory }
  )

  if (init.status !== 0) throw new Error(`initdb: ${init.stderr}`)

  /** Whether it came up: what a killed one has left may be in its way for a moment. */
  async function tryToStart(): Promise<boolean> {
    const args = ['-D', directory, '-p', String(port), '-h', '127.0.0.1', '-k', '', '-c', 'fsync=off']

    child = spawn(join(bin, 'postgres'), args, {
      ...USER,
      cwd: directory,
      stdio: ['ignore', 'ignore', 'pipe']
    })

    for await (const line of createInterface({
      input: child.stderr as NonNullable<ChildProcess['stderr']>
    })) {
      if (line.includes('ready to accept connections')) {
        child.stderr?.resume()

        return true
      }
    }

    return false
  }

  async function start(): Promise<void> {
    while (!(await tryToStart()));
  }

  async function stop(signal: NodeJS.Signals): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return

    const exit = once(child, 'exit')

    child.kill(signal)
    await exit
  }

  onEnd(async () => {
    await stop('SIGQUIT')
    rmSync(directory, { recursive: true, force: true })
  })
  await start()

  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, stop, start }
}

function findLack(): string | undefined {
  if (BIN === undefined) return "no 'initdb' is there: install PostgreSQL, or set POSTGRES_BIN to its folder"

  return findUserLack()
}

function findUserLack(): string | undefined {
  return USER ? undefined : "PostgreSQL does not run as root: add a user 'postgres'"
}

function findInstalled(): string[] {
  const parent = '/usr/lib/postgresql'

  if (!existsSync(parent)) return []

  return readdirSync(parent)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(parent, version, 'bin'))
}

function findUser(name: string): User | undefined {
  const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout)

  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined
}

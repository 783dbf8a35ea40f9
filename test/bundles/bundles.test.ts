import { execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { choose } from '../support/choose.ts'
import { readBlocks, readPage, readSection } from '../support/page.ts'
import { readAddress, readLines, toListening } from '../support/program.ts'
import { createPrefix, describeRedis, REDIS_URL } from '../support/redis.ts'
import { ask, connectSocket, next } from '../support/sockets.ts'
import {
  createTable,
  describeDatabases,
  MARIADB,
  MARIADB_URL,
  POSTGRES,
  POSTGRES_URL
} from '../support/sql.ts'
import { IN_PROCESS, KOA, LOGIN, MISSING, REAL_TIME, TABLE, WITHOUT_PACKAGES } from './programs.ts'
import {
  bundle,
  createEmptyFolder,
  createFullFolder,
  createPlainFolder,
  describeBundlers,
  FORMATS,
  type Format,
  rollup
} from './support.ts'

const run = promisify(execFile)
const USER = { email: 'ada@example.org', password: 'correct horse' }

/** Bundles a program into a folder without packages, and returns the file. */
async function bundleAlone(program: string, format: Format): Promise<string> {
  return await bundle(program, format, createFullFolder(), createEmptyFolder())
}

/** Bundles a program that listens, runs it beside `node_modules`, and returns its address. */
async function serveBeside(program: string, format: Format): Promise<string> {
  const folder = createFullFolder()

  return start(await bundle(program, format, folder, folder))
}

/** Runs a file, and returns the address that it prints. */
async function start(file: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const child = spawn(process.execPath, [file], {
    cwd: dirname(file),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit']
  })

  onTestFinished(() => void child.kill('SIGKILL'))

  return `http://${await readAddress(readLines(child.stdout))}`
}

async function post(url: string, data: object, token?: string): Promise<any> {
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify(data),
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) }
  })

  return { status: response.status, ...((await response.json()) as object) }
}

/** A program of modules as one function, for bundles that cannot wait outside of functions. */
function toFunction(program: string): string {
  const imports = program.match(/^import .*$/gm) ?? []

  return [...imports, 'async function main() {', program.replace(/^import .*$/gm, ''), '}', 'main()'].join(
    '\n'
  )
}

/** Makes a bundle by Rollup in a folder without packages, and returns its file. */
async function bundleByRollup(program: string, format: Format): Promise<string> {
  const file = join(createEmptyFolder(), format === 'esm' ? 'server.mjs' : 'server.cjs')

  await rollup('A server with Rollup', program, format, file)

  return file
}

/** Signs up, logs in and calls a service that checks its data. */
async function expectLogin(url: string): Promise<void> {
  expect(await post(`${url}/users`, USER)).toEqual({ status: 201, id: 1, email: USER.email })
  expect(
    await post(`${url}/authentication`, { strategy: 'local', ...USER, password: 'wrong' })
  ).toMatchObject({
    status: 401
  })

  const { accessToken } = await post(`${url}/authentication`, { strategy: 'local', ...USER })
  const note = { text: 'Buy milk', at: '2030-01-01T00:00:00Z' }

  expect((await post(`${url}/notes`, note)).status).toBe(401)
  expect(await post(`${url}/notes`, note, accessToken)).toMatchObject({ status: 201, id: 1, ...note })
  expect((await post(`${url}/notes`, { ...note, text: '' }, accessToken)).status).toBe(400)
  expect(await (await fetch(`${url}/docs`)).text()).toContain('page.js')
}

/** Logs in over a socket of one process, and gets the event of a call of another one. */
async function expectEvents(serveWith: (env: NodeJS.ProcessEnv) => Promise<string>): Promise<void> {
  const table = `bundle_${randomUUID().replaceAll('-', '')}`
  const db = POSTGRES.open()
  const env = { POSTGRES_URL, REDIS_URL, TABLE: table, PREFIX: createPrefix() }

  onTestFinished(async () => {
    await db.schema.dropTable(table).ifExists().execute()
    await db.destroy()
  })

  await db.schema
    .createTable(table)
    .addColumn('id', 'serial', (column) => column.primaryKey())
    .addColumn('email', 'text')
    .addColumn('password', 'text')
    .execute()

  const [url, other] = await Promise.all([serveWith(env), serveWith(env)])

  expect(await post(`${url}/users`, USER)).toEqual({ status: 201, id: 1, email: USER.email })

  const socket = await connectSocket(url)

  onTestFinished(() => void socket.disconnect())

  const [error, { accessToken }] = await ask(socket, 'create', 'authentication', {
    strategy: 'local',
    ...USER
  })
  const received = next(socket, 'messages created')

  expect(error).toBeNull()
  expect(await post(`${other}/messages`, { text: 'Hello' }, accessToken)).toMatchObject({ status: 201 })
  expect(await received).toEqual({ text: 'Hello' })
}

/** Stores a record in MariaDB, and has its schema refuse another one. */
async function expectRecords(serveWith: (env: NodeJS.ProcessEnv) => Promise<string>): Promise<void> {
  const name = `bundle_${randomUUID().replaceAll('-', '')}`
  const { countedId } = MARIADB

  await createTable(MARIADB, name, `id ${countedId}, text varchar(50) not null, at datetime(3)`)
  await expectNotes(await serveWith({ MARIADB_URL, TABLE: name }))
}

async function expectNotes(url: string): Promise<void> {
  const note = { text: 'Käse', at: '2030-01-01T00:00:00.000Z' }

  expect(await post(`${url}/notes`, note)).toEqual({ status: 201, id: 1, ...note })
  expect(await post(`${url}/notes`, {})).toMatchObject({ status: 400, errors: { text: 'is required' } })
}

describe.each(FORMATS)('a bundle as %s, alone', (format) => {
  it.each([
    { name: 'Express', program: LOGIN },
    { name: 'Koa', program: KOA }
  ])('with $name hashes a password, logs in and checks schemas', async ({ program }) => {
    await expectLogin(await start(await bundleAlone(program, format)))
  })
})

it.each(FORMATS)('a bundle as %s, beside node_modules, logs in and checks schemas', async (format) => {
  await expectLogin(await serveBeside(LOGIN, format))
})

it.each(FORMATS)('swagger-ui is served by a bundle that has its package beside it, as %s', async (format) => {
  const program = LOGIN.replace('openapi({', "openapi({ page: 'swagger-ui',")
  const url = await serveBeside(program, format)

  expect(await (await fetch(`${url}/docs/swagger-ui.css`)).text()).toContain('.swagger-ui')
})

describeRedis('with PostgreSQL, Socket.IO and Redis', () => {
  it.each(FORMATS)('a bundle as %s, alone, logs in over a socket and gets events', async (format) => {
    const file = await bundleAlone(REAL_TIME, format)

    await expectEvents((env) => start(file, env))
  })
})

describeDatabases('with mysql2', () => {
  it.each(FORMATS)('a bundle as %s, alone, stores records', async (format) => {
    const file = await bundleAlone(TABLE, format)

    await expectRecords((env) => start(file, env))
  })
}, [MARIADB])

it.each(choose(FORMATS, 1))('a bundle that has PGlite beside it stores records, as %s', async (format) => {
  await expectNotes(await serveBeside(IN_PROCESS, format))
})

/** What the bundles of Rollup do. */
const ROLLED = FORMATS.flatMap((format) => [
  {
    ...{ format, does: 'logs in and checks schemas', program: LOGIN },
    expectIt: async (file: string) => expectLogin(await start(file))
  },
  {
    ...{ format, does: 'logs in over a socket and gets events', program: REAL_TIME },
    expectIt: (file: string) => expectEvents((env) => start(file, env))
  },
  {
    ...{ format, does: 'stores records', program: TABLE },
    expectIt: (file: string) => expectRecords((env) => start(file, env))
  }
])

/** Rollup takes a minute for each bundle, where other tests run too. */
const TIMEOUT = 300_000

describeBundlers('Rollup', () => {
  describeRedis('with PostgreSQL, Socket.IO and Redis', () => {
    describeDatabases('with mysql2', () => {
      it.each(choose(ROLLED, 1))(
        'makes a bundle that $does, as $format',
        async ({ format, program, expectIt }) => {
          await expectIt(await bundleByRollup(program, format))
        },
        TIMEOUT
      )
    }, [MARIADB])
  })
})

it.each(FORMATS)(
  'the commands of the page on bundling make a file that runs alone, as %s',
  async (format) => {
    const [program] = readBlocks(await readPage('http'), 'js') as [string]
    const commands = readBlocks(readSection(await readPage('bundling'), 'A server with esbuild'), 'sh')
    const command = commands.find((text) => text.includes(`--format=${format}`)) as string
    const [folder, target] = [createFullFolder(), createEmptyFolder()]
    const esbuild = join(import.meta.dirname, '../../node_modules/.bin/esbuild')
    const server = join(target, format === 'esm' ? 'server.mjs' : 'server.cjs')
    const shown = toListening(program)

    writeFileSync(join(folder, 'app.mjs'), format === 'esm' ? shown : toFunction(shown))
    await run(
      'sh',
      ['-c', command.replace('npx esbuild', esbuild).replace(/outfile=\S+/, `outfile=${server}`)],
      { cwd: folder }
    )

    const url = await start(server)

    expect(await (await fetch(`${url}/messages`)).json()).toEqual([])
  }
)

it.each(FORMATS)('packages that are not installed are named when they are needed, as %s', async (format) => {
  const folder = createPlainFolder('koa')
  const file = await bundle(WITHOUT_PACKAGES, format, folder, folder)
  const { stdout } = await run(process.execPath, [file], { cwd: folder })
  const messages = stdout.trim().split('\n')

  expect(messages).toHaveLength(MISSING.length)
  for (const [index, name] of MISSING.entries())
    expect(messages[index]).toMatch(`needs the package '${name}': npm install`)
})

import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { Pool } from 'pg'
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { runExample } from './support/example.ts'
import { readBlocks } from './support/page.ts'
import { expectSession } from './support/session.ts'

const run = promisify(execFile)
const ROOT = resolve(import.meta.dirname, '..')
const EXAMPLE = join(ROOT, 'examples/realworld')
const { POSTGRES_URL } = process.env

beforeAll(async () => {
  await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', EXAMPLE])
})

/** The tests of the example, as its user runs them. */
async function test(env: NodeJS.ProcessEnv): Promise<string> {
  const { npm_config_user_agent: _, NODE_OPTIONS: __, ...others } = process.env
  const files = ['contract', 'proofs'].map((name) => join(EXAMPLE, `dist/test/${name}.test.js`))
  const { stdout } = await run(process.execPath, ['--test', '--test-concurrency=1', ...files], {
    env: { ...others, DATABASE_URL: undefined, ...env }
  })

  return stdout
}

it('realworld: its tests pass on SQLite', { timeout: 400_000 }, async () => {
  expect(await test({})).toMatch(/^[#ℹ] fail 0$/m)
})

it.runIf(POSTGRES_URL)('realworld: its tests pass on PostgreSQL', { timeout: 400_000 }, async () => {
  const db = new Kysely<any>({
    dialect: new PostgresDialect({ pool: new Pool({ connectionString: POSTGRES_URL }) })
  })
  const drop = () => sql`drop schema if exists alula_realworld cascade`.execute(db)

  onTestFinished(async () => {
    await drop()
    await db.destroy()
  })
  await drop()
  await sql`create schema alula_realworld`.execute(db)

  const url = new URL(String(POSTGRES_URL))

  url.searchParams.set('options', '-c search_path=alula_realworld')
  expect(await test({ DATABASE_URL: url.href })).toMatch(/^[#ℹ] fail 0$/m)
})

it('realworld: the README shows what happens, and the document is valid', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'alula-realworld-'))

  vi.stubEnv('DATABASE_URL', join(folder, 'conduit.db'))
  onTestFinished(async () => {
    vi.unstubAllEnvs()
    await rm(folder, { recursive: true })
  })

  const readme = await readFile(join(EXAMPLE, 'README.md'), 'utf8')
  const example = await runExample('realworld/dist/src/main.js')
  const { origin } = new URL(example.url)

  await expectSession(readBlocks(readme, 'console'), { 'localhost:3030': origin })

  const document: any = await (await fetch(`${origin}/api/openapi.json`)).json()

  expect(await new Validator().validate(document)).toMatchObject({ valid: true })
  expect(await example.stop()).toBe(0)
})

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { choose } from '../../../test/support/choose.ts'
import { migrateFolder } from '../src/migrate.ts'
import {
  compile,
  createFixture,
  type Fixture,
  installAll,
  installListed,
  readManifests,
  runSession,
  runTests,
  transpile
} from './application.ts'

// Applications in the shapes of real ones: each passes its own tests and makes the same responses, before and after.

// Compilers are slow on a machine that does other things.
const TIMEOUT = 600_000

interface Application {
  readonly name: string
  /** The package that is a server, and its main module once it is compiled. */
  readonly server?: string
  readonly entry: string
  readonly tests: string
  /** What is left for a human. */
  readonly left?: readonly string[]
  /** What the human does then. */
  readonly finish?: (fixture: Fixture) => void
  /** Packages of Feathers that are still named. */
  readonly stays?: readonly string[]
  /** What the manifests list in the end, among others. */
  readonly listed?: { readonly [name: string]: string }
}

const TYPED = { entry: 'lib/src/app.js', tests: 'lib/test' }

const applications: readonly Application[] = [
  { ...TYPED, name: 'typescript', stays: ['schema'] },
  { name: 'javascript', entry: 'src/app.js', tests: 'test' },
  {
    ...TYPED,
    name: 'koa-typebox-knex',
    stays: ['knex', 'schema', 'typebox'],
    listed: { typescript: '^5.9.3', '@types/node': '^20.19.0', koa: '^3.0.0', '@types/koa': '^3.0.0' }
  },
  { ...TYPED, name: 'koa-json-schema', stays: ['schema'] },
  {
    name: 'express-knex',
    entry: 'src/app.js',
    tests: 'test',
    stays: ['knex'],
    left: ["package.json:10 '@feathersjs/knex' 5.0.50 needs knex 3.3 or later, and this is ^2.5.1"],
    finish: ({ folder }) => replace(folder, 'package.json', '^2.5.1', '^3.3.0')
  },
  {
    ...TYPED,
    name: 'casl',
    // A setting of feathers-casl, which stays.
    stays: ['memory'],
    left: [31, 32].map(
      (line) =>
        `src/app.ts:${line} '@feathersjs/memory' is a string here: whether it has to change depends on the code that reads it`
    )
  },
  {
    ...TYPED,
    name: 'oauth',
    stays: ['configuration'],
    left: [
      "config/default.json:39 no preset 'twitter': set 'issuer', or 'authorize_url', 'access_url' and 'profile_url'"
    ],
    finish: ({ folder }) => {
      const from = '"twitter": {'
      const to = '"twitter": { "issuer": "https://id.example.org",'

      replace(folder, 'config/default.json', from, to)
    }
  },
  { ...TYPED, name: 'koa-strict', listed: { typescript: '^5.9.3', '@types/node': '^20.19.0' } },
  {
    ...TYPED,
    name: 'typescript-5.3',
    stays: ['schema', 'typebox'],
    listed: { typescript: '^5.9.3', cors: '^2.8.5' }
  },
  {
    ...TYPED,
    name: 'undeclared',
    listed: { bcryptjs: '^3.0.3', express: '^5.1.0', jsonwebtoken: '^9.0.2', uuid: '^11.1.0' }
  },
  { name: 'compiled-lib', entry: 'lib/index.js', tests: 'test' },
  { ...TYPED, name: 'monorepo', server: 'packages/api', stays: ['schema'] }
]

describe.concurrent('an application', () => {
  // Each takes half a minute.
  it.for(choose(applications, 2))(
    '$name passes its tests and makes the same responses, before and after',
    { timeout: TIMEOUT },
    async ({ name, server, entry, tests, left = [], finish, stays = [], listed = {} }, context) => {
      const fixture = createFixture(name, context, server)
      const isTyped = readdirSync(fixture.server).includes('tsconfig.json')
      const test = async () => [await runTests(fixture, tests), await runSession(fixture, entry)]

      installAll(fixture)
      if (isTyped) transpile(fixture)

      const before = await test()

      expect(before[0]).toMatch(/^[1-9]\d* passed, 0 failed$/)
      expect(migrate(fixture)).toEqual(left)
      expect(migrateFolder(fixture.folder).flatMap(({ changes }) => changes)).toEqual([])
      finish?.(fixture)
      expect(findImports(fixture.folder)).toEqual(stays.map((one) => `@feathersjs/${one}`))
      expect(readListed(fixture)).toMatchObject(listed)

      installListed(fixture)
      if (isTyped) expect(await compile(fixture)).toBe('')
      expect(await test()).toEqual(before)
    }
  )

  it(
    'mongodb compiles, with a newer @feathersjs/mongodb',
    async (context) => {
      const fixture = createFixture('mongodb', context)

      installAll(fixture)
      expect(migrate(fixture)).toEqual([])
      expect(readListed(fixture)).toMatchObject({ '@feathersjs/mongodb': '^5.0.50', typescript: '^5.9.3' })
      installListed(fixture)
      expect(await compile(fixture)).toBe('')
    },
    TIMEOUT
  )

  it.for(choose(['koa-typebox-knex', 'express-knex'], 1))(
    '%s shows no SQL and no hash in production, as it did',
    { timeout: TIMEOUT },
    async (name, context) => {
      const fixture = createFixture(name, context)
      const { entry } = applications.find((application) => application.name === name) as Application
      const taken = async () => (await runSession(fixture, entry, 'production'))[1]

      installAll(fixture)
      if (name === 'koa-typebox-knex') transpile(fixture)
      expect(await taken()).toMatch(/insert into .*\$2[aby]\$/)

      migrate(fixture)
      installListed(fixture)
      if (name === 'koa-typebox-knex') transpile(fixture)
      expect(await taken()).toContain('"An unexpected error occurred on the server"')
    }
  )
})

/** Migrates, and returns what is left for a human. */
function migrate({ folder }: Fixture): string[] {
  return migrateFolder(folder).flatMap(({ path, remarks }) =>
    remarks.map(({ line, text }) => `${path}:${line} ${text}`)
  )
}

function replace(folder: string, path: string, from: string, to: string): void {
  const file = join(folder, path)

  writeFileSync(file, readFileSync(file, 'utf8').replace(from, to))
}

function readListed({ folder }: Fixture): { readonly [name: string]: string } {
  const sections = readManifests(folder).flatMap(({ dependencies, devDependencies }) => [
    dependencies,
    devDependencies
  ])

  return Object.assign({}, ...sections)
}

/** The packages of Feathers that sources and manifests still name. */
function findImports(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /(?:\/|^)(?:src\/|test\/|package\.json$)/.test(path) && /\.(?:js|ts|json)$/.test(path)
  )
  const names = files
    .filter((path) => !/node_modules|(?:^|\/)lib\//.test(path))
    .flatMap((path) =>
      [...readFileSync(join(folder, path), 'utf8').matchAll(/['"](@feathersjs\/[\w-]+)/g)].map(
        ([, name]) => name
      )
    )

  return [...new Set(names as string[])].sort()
}

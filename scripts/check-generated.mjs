// What tools make of the documents of applications, of all examples, and of random ones: validators find no error in them,
// and the clients of openapi-typescript and openapi-fetch compile, run, and get the rows that ours gets. The tools need
// TypeScript 5, and are installed elsewhere.
import { deepStrictEqual, ok } from 'node:assert/strict'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Validator } from '@seriousme/openapi-schema-validator'
import { alula } from 'alula'
import { access, anyone } from 'alula/access'
import { alula as createClient, rest } from 'alula/client'
import { MemoryService, memory } from 'alula/memory'
import { toListener } from 'alula/node'
import { toOpenApi } from 'alula/openapi'
import { many, one, schema } from 'alula/schema'
import { contractTests, loginAs } from 'alula-testing'
import fc from 'fast-check'
import { z } from 'zod'
import { describeDocument, toProgram } from './support/client-code.mjs'
import { EXAMPLE_NAMES, openExample } from './support/examples.mjs'
import { createRegistry, describeClient, registries } from './support/registries.mjs'
import { createReport } from './support/report.mjs'
import { mustRun } from './support/run.mjs'
import { createTempFolder } from './support/temp.mjs'

/** How many random registries there are; a fiftieth of them unless TEST_SCALE says more, as for random tests. */
const REGISTRIES = Math.ceil(500 * Number(process.env.TEST_SCALE ?? 0.02))
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))

// Each example ends with a signal.
process.setMaxListeners(0)

const report = createReport()
const temp = createTempFolder()
const folder = join(temp, 'generated')
const inFolder = { cwd: folder }

cpSync(fileURLToPath(new URL('generated', import.meta.url)), folder, { recursive: true })

for (const name of ['documents', 'clients']) mkdirSync(join(folder, name), { recursive: true })

const app = await createApp().setup()

writeFileSync(join(folder, 'documents/app.json'), JSON.stringify(toDocument(app)))

const subjects = [...(await openExamples()), ...(await createRegistries())]

await report.check('the validator of OpenAPI', validateAll)
await report.check('contractTests of random applications', testContracts)

const isInstalled = await report.check('the tools install', async () => {
  await mustRun('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], inFolder)
})

if (isInstalled) {
  const files = ['app', ...subjects.map(({ name }) => name)].map((name) => `documents/${name}.json`)

  await report.check('redocly lint', async () => {
    await mustRun('npx', ['redocly', 'lint', ...files], inFolder)

    return `${files.length} documents`
  })
  await report.check('openapi-typescript', async () => {
    await mustRun(process.execPath, ['generate.mjs'], inFolder)
    await mustRun('npx', ['tsc', '-p', '.'], inFolder)
  })
  await report.check('openapi-fetch gets what our client gets', compareClients)
  await report.check(
    'openapi-fetch gets what our client gets of examples and random applications',
    compareAll
  )
}

report.finish()
// Examples go on serving.
process.exit()

async function compareClients() {
  const server = createServer(toListener(app))

  await new Promise((resolve) => server.listen(0, resolve))

  const address = `http://localhost:${server.address().port}`
  const { callAll } = await import(pathToFileURL(join(folder, 'out/client.js')).href)
  const { rows, created, ...others } = await callAll(address)
  const client = createClient().configure(rest(address).fetch(fetch))
  const { data } = await client.service('notes').find({ query: { rating: { $gt: 4 }, $include: ['user'] } })

  server.closeAllConnections()
  server.close()

  deepStrictEqual(rows, data)
  deepStrictEqual(created, data[0].createdAt)
  deepStrictEqual(others, { text: 'Buy milk', user: 'Ada', favorite: 200, count: 1, error: 'NotFound' })
}

function toDocument(app) {
  return JSON.parse(JSON.stringify(toOpenApi(app, { servers: [{ url: 'https://api.test' }] })))
}

/** Writes the document of an application, and a client that is made for it. */
function addSubject(name, app, user, describe) {
  const document = toDocument(app)
  const client = describe(document)

  writeFileSync(join(folder, `documents/${name}.json`), JSON.stringify(document))
  writeFileSync(join(folder, `clients/${name}.ts`), toProgram(name, client))

  return { name, app, user, document, calls: client.calls }
}

async function openExamples() {
  const opened = []

  for (const name of EXAMPLE_NAMES) {
    const { app, users } = await openExample(name, temp)

    opened.push(
      addSubject(name, app, users[0], (document) => describeDocument(document, Object.keys(app.services)))
    )
  }

  return opened
}

async function createRegistries() {
  console.log(`${REGISTRIES} random registries of the seed ${SEED}`)

  return await Promise.all(
    sampleRegistries().map(async (registry, index) => {
      const { app, user } = await createRegistry(registry)

      return addSubject(`registry${index}`, app, user, () => describeClient(registry))
    })
  )
}

function sampleRegistries() {
  return fc.sample(registries, { seed: SEED, numRuns: REGISTRIES })
}

async function validateAll() {
  for (const { name, document } of [{ name: 'app', document: toDocument(app) }, ...subjects]) {
    const { valid, errors } = await new Validator().validate(document)

    if (!valid) throw new Error(`${name}: ${JSON.stringify(errors)}`)
  }
}

/** In applications of their own: those of the clients have to keep their records. */
async function testContracts() {
  let count = 0
  let unreached = 0

  for (const [index, registry] of sampleRegistries().entries()) {
    const { app, user } = await createRegistry(registry)
    const tests = []

    contractTests(app, {
      describe: (_title, register) => register(),
      it: (title, run) => tests.push([title, run]),
      seed: SEED,
      users: [user],
      records: await readRecords(app),
      log: false
    })
    for (const [title, run] of tests) {
      await run().catch(({ message }) => {
        // The rules of a random application may let nobody reach a record that is there.
        if (!message.startsWith('No request to ')) throw new Error(`registry${index}: ${title}\n${message}`)
        unreached++
      })
    }
    count += tests.length
  }

  ok(unreached < count / 10)

  return `${count} operations, ${count - unreached} with a success`
}

/** The records of the services that are in the document: some have no method that shows them. */
async function readRecords(app) {
  const paths = toOpenApi(app)
    .tags.map(({ name }) => name)
    .filter((path) => app.service(path)._find)

  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, await app.service(path)._find({ paginate: false })]))
  )
}

async function compareAll() {
  let found = 0
  let count = 0

  for (const subject of subjects) {
    found += await compareSubject(subject).catch((error) => {
      throw new Error(`${subject.name}: ${error.message}`)
    })
    count += subject.calls.length
  }

  // Clients that are refused alike are no proof.
  ok(found > count / 2)

  return `${count} calls of ${subjects.length} applications, ${found} with records`
}

/** Makes the calls of a subject by both clients, and returns how many have led to records. */
async function compareSubject({ name, app, user, calls }) {
  let found = 0
  const server = createServer(toListener(app, { logger: false }))

  await new Promise((resolve) => server.listen(0, resolve))

  const address = `http://localhost:${server.address().port}`
  const headers = user ? { Authorization: `Bearer ${(await loginAs(app, user)).accessToken}` } : {}
  const generated = await import(pathToFileURL(join(folder, `out/clients/${name}.js`)).href)
  const connected = generated.connect(address, headers)
  const connection = rest(address).fetch(fetch, { headers })
  const client = createClient().configure(connection)

  for (const path of new Set(calls.map((call) => call.path))) {
    const ofService = calls.filter((call) => call.path === path)
    const called = ofService.map(({ method }) => method)
    const isSingle = ofService.some(({ args }) => args[0] === null)

    client.use(path, connection.service(path), {
      methods: [...new Set(called)],
      ...(isSingle && { singleton: true })
    })
  }

  for (const [index, { path, method, args }] of calls.entries()) {
    const { data, error } = await generated.calls[index](connected)
    const expected = await client
      .service(path)
      [method](...args)
      .catch(({ name: thrown }) => ({ name: thrown }))

    const toCompared = method === 'create' ? withoutId : toPlain

    deepStrictEqual(toCompared(error ? { name: error.name } : data), toCompared(expected))
    if (!error && [data?.data ?? data].flat().length > 0) found++
  }

  server.closeAllConnections()
  server.close()

  return found
}

function toPlain(result) {
  return JSON.parse(JSON.stringify(result))
}

/** Two records that were created one after the other differ in their ids. */
function withoutId(result) {
  const { id, ...others } = [toPlain(result)].flat()[0]

  return others
}

function createApp() {
  const Note = z.object({
    id: z.int32(),
    text: z.string().min(1),
    done: z.boolean().default(false),
    rating: z.number().nullish(),
    kind: z.enum(['idea', 'task']).optional(),
    userId: z.int32().optional(),
    secret: z.string().optional(),
    createdAt: z.date()
  })

  class Notes extends MemoryService {
    async archive() {
      return { count: 1 }
    }

    async favorite(_data, { route }) {
      return this._get(route.id)
    }
  }

  const app = alula()

  app.use('users', memory({ store: { 1: { id: 1, name: 'Ada' } } }), {
    methods: ['find'],
    schema: schema(z.object({ id: z.int32(), name: z.string() }), {
      relations: { notes: many('notes', { to: 'userId' }) }
    }),
    access: access({ all: anyone })
  })
  app.use('notes', new Notes({ startId: 1, multi: true, paginate: { default: 10 } }), {
    methods: ['find', 'get', 'create', 'archive', 'favorite'],
    routes: { 'PUT /:id/favorite': 'favorite' },
    schema: schema(Note, {
      server: { createdAt: () => new Date() },
      hidden: ['secret'],
      relations: { user: one('users', { from: 'userId' }) },
      methods: {
        archive: { data: z.object({ before: z.iso.date() }), result: z.object({ count: z.int32() }) },
        favorite: { result: Note.omit({ secret: true }) }
      }
    }),
    access: access({ all: anyone })
  })

  return app
}

// What tools make of the document of an application: Redocly finds no error in it, and the client of openapi-typescript and
// openapi-fetch compiles, runs, and gets the rows that ours gets. They need TypeScript 5, and are installed elsewhere.
import { deepStrictEqual } from 'node:assert/strict'
import { cpSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { alula } from 'alula'
import { access, anyone } from 'alula/access'
import { alula as createClient, rest } from 'alula/client'
import { MemoryService, memory } from 'alula/memory'
import { toListener } from 'alula/node'
import { toOpenApi } from 'alula/openapi'
import { many, one, schema } from 'alula/schema'
import { z } from 'zod'
import { createReport } from './support/report.mjs'
import { mustRun } from './support/run.mjs'
import { createTempFolder } from './support/temp.mjs'

const report = createReport()
const folder = join(createTempFolder(), 'generated')
const inFolder = { cwd: folder }

cpSync(fileURLToPath(new URL('generated', import.meta.url)), folder, { recursive: true })

const app = await createApp().setup()
const document = toOpenApi(app, { servers: [{ url: 'https://api.test' }] })

writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document))

const isInstalled = await report.check('the tools install', async () => {
  await mustRun('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], inFolder)
})

if (isInstalled) {
  await report.check('redocly lint', async () => {
    await mustRun('npx', ['redocly', 'lint', 'openapi.json'], inFolder)
  })
  await report.check('openapi-typescript', async () => {
    await mustRun('npx', ['openapi-typescript', 'openapi.json', '-o', 'api.d.ts'], inFolder)
    await mustRun('npx', ['tsc', '-p', '.'], inFolder)
  })
  await report.check('openapi-fetch gets what our client gets', compareClients)
}

report.finish()

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

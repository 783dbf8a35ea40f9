import { mkdtempSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { createPinia } from 'pinia'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ref } from 'vue'
import { rest } from '../../src/client.ts'
import { errorHandler, express, rest as restTransport } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { serve } from '../support/server.ts'

// The plugin creates an application by itself, with `feathers()` of the package that it imports. Bundled with an alias,
// it creates one of ours, as in an application that has moved.

const ROOT = resolve(import.meta.dirname, '../..')

describe.each([
  ['as it is', {}],
  ['with alula in place of Feathers', { '@feathersjs/feathers': join(ROOT, 'src/index.ts') }]
])('feathers-pinia %s', (_name, alias) => {
  let directory: string
  let createPiniaClient: (client: unknown, options: object) => any

  beforeAll(async () => {
    // Where it finds the same Vue and Pinia as the test.
    directory = mkdtempSync(join(ROOT, 'node_modules/.feathers-pinia-'))

    const outfile = join(directory, 'plugin.mjs')

    await build({
      stdin: {
        contents: "export { createPiniaClient } from 'feathers-pinia'",
        resolveDir: ROOT
      },
      alias,
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      external: ['vue', 'vue-demi', 'pinia', 'debug', 'bcryptjs'],
      logLevel: 'silent',
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)"
      }
    })
    ;({ createPiniaClient } = await import(pathToFileURL(outfile).href))
  })

  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  it('keeps the records of a server in its stores', async () => {
    const server = express(alula())

    server.configure(restTransport())
    server.use('books', memory({ startId: 1, paginate: { default: 10 } }))
    server.use(errorHandler({ logger: false }))

    const client = alula().configure(rest(await serve(server)).fetch(fetch))
    const app = createPiniaClient(client, { pinia: createPinia(), idField: 'id', ssr: true })
    const books = app.service('books')
    const emitted: unknown[] = []

    books.on('created', (book: { title: string }) => emitted.push(book.title))

    const book = await books.create({ title: 'Walden' })

    expect(book).toMatchObject({ id: 1, title: 'Walden' })
    expect(books.getFromStore(1).value).toMatchObject({ title: 'Walden' })

    await books.patch(1, { title: 'Emma' })
    expect(book.title).toBe('Emma')
    expect((await books.find(ref({ query: {} }))).data).toMatchObject([{ id: 1, title: 'Emma' }])
    expect(books.findInStore({ query: { title: 'Emma' } }).data).toHaveLength(1)

    await books.new({ title: 'Ulysses' }).save()
    expect(books.findInStore({ query: {} }).total).toBe(2)

    await books.remove(1)
    expect(books.findInStore({ query: {} }).total).toBe(1)
    expect(emitted).toEqual(['Walden', 'Ulysses'])
    await expect(books.get(7)).rejects.toMatchObject({ name: 'NotFound' })
  })
})

// Records of a service that its own hooks and views put where its schema names no fields.
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { koa, rest } from '../../src/koa.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { serve } from '../support/server.ts'

const SHOWN = { id: 1, title: 'a' }
const Note = z.object({ id: z.int(), title: z.string(), secret: z.string() })
const OpenNote = z.looseObject(Note.shape)

/** Has what clients get of `get`, `find`, `patch`, and `create` of a note. */
async function ask(declared: any, hooks: object = {}): Promise<unknown[]> {
  const app: any = alula()
  const store = { 1: { ...SHOWN, secret: 'secret', undeclared: 'secret' } }

  app.use('notes', memory({ store, startId: 1 }), { schema: declared })
  app.service('notes').hooks(hooks)

  const handle = createHandler(app)
  const send = async (method: string, path: string, data?: object) => {
    const response = await handle(
      new Request(`http://localhost/notes${path}`, {
        method,
        headers: { 'Content-Type': 'application/json' },
        ...(data && { body: JSON.stringify(data) })
      })
    )

    return response.json()
  }

  return [await send('GET', '/1'), await send('GET', ''), await send('PATCH', '/1', { title: 'a' })]
}

/** A hook that makes something of the result. */
function set(name: 'result' | 'dispatch', make: (result: any) => unknown) {
  return (context: any) => {
    context[name] = make(context.result)
  }
}

describe.each([
  ['undeclared fields, too', schema(Note, { hidden: ['secret'], extra: 'keep' })],
  ['fields of any name', schema(OpenNote, { hidden: ['secret'] })]
])('a record with %s', (_name, declared) => {
  it('is without its hidden fields where a hook puts it', async () => {
    const own = { ...SHOWN, undeclared: 'secret' }
    const [got, found, patched]: any[] = await ask(declared, {
      after: {
        get: [set('result', (result) => ({ ...result, original: result }))],
        find: [set('result', (result) => [{ id: 2, originals: result }])],
        patch: [set('dispatch', (result) => ({ note: result }))]
      }
    })

    expect(got).toEqual({ ...own, original: own })
    expect(found).toEqual([{ id: 2, originals: [own] }])
    expect(patched).toEqual({ note: own })
  })
})

it('a record is without its hidden fields in a computed field, and in one that takes anything', async () => {
  const declared = schema(Note.extend({ parent: z.int().optional(), of: z.any().optional() }), {
    hidden: ['secret'],
    computed: {
      replies: {
        from: ['id', 'parent'],
        many: (notes) => notes.map(({ id }) => notes.filter(({ parent }) => parent === id))
      }
    }
  })
  const app: any = alula()
  const first = { id: 1, title: 'a' }
  const second = { id: 2, title: 'b', parent: 1 }

  app.use('notes', memory({ store: [first, second].map((note) => ({ ...note, secret: 's' })) as any }), {
    schema: declared
  })
  app.service('notes').hooks({ after: { get: [set('result', (result) => ({ ...result, of: result }))] } })

  const ask = async (path: string) =>
    (await createHandler(app)(new Request(`http://localhost/notes${path}`))).json()
  const shown = { ...second, replies: [] }

  expect(await ask('')).toEqual([{ ...first, replies: [shown] }, shown])
  expect(await ask('/2')).toEqual({ ...shown, of: second })
})

describe('a view without a schema', () => {
  it('shows the records of the result as all responses do', async () => {
    const view = ({ result }: any) => ({ notes: result })

    expect(await ask(schema(Note, { hidden: ['secret'], view }))).toEqual([
      { notes: SHOWN },
      { notes: [SHOWN] },
      { notes: SHOWN }
    ])
    expect(await ask(schema(Note.omit({ secret: true }), { view }))).toEqual([
      { notes: SHOWN },
      { notes: [SHOWN] },
      { notes: SHOWN }
    ])
  })

  it.each<[string, () => object]>([
    ['a stream', () => Readable.from(['text'])],
    ['a response of Fetch', () => new Response('text')]
  ])('may make %s, which Koa sends', async (_name, view) => {
    const app: any = koa(alula())

    app.configure(rest())
    app.use('notes', memory({ store: { 1: { ...SHOWN, secret: 'secret' } } }), {
      schema: schema(Note, { hidden: ['secret'], view })
    })

    const response = await fetch(`${await serve(app)}/notes/1`)

    expect([response.status, await response.text()]).toEqual([200, 'text'])
  })

  it('leaves hidden fields out by their names', async () => {
    const view = ({ method, result }: any) => (method === 'find' ? result.map(copy) : copy(result))
    const copy = ({ id, secret }: any) => ({ id, deep: [{ secret }] })

    expect(await ask(schema(Note, { hidden: ['secret'], view }))).toEqual([
      { id: 1, deep: [{}] },
      [{ id: 1, deep: [{}] }],
      { id: 1, deep: [{}] }
    ])
  })
})

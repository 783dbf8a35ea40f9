import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone } from '../../src/access.ts'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { count, many, one, schema } from '../../src/schema.ts'

const Note = z.object({ id: z.int(), text: z.string(), ownerId: z.int() })
const User = z.object({ id: z.int(), name: z.string(), email: z.string() })

type Fields = Record<string, unknown>

/** A record whose fields are its own, with a method. */
class Entity {
  constructor(fields: Fields) {
    Object.assign(this, fields)
  }

  save(): void {}
}

/** A document as of an ORM: its fields are behind getters, and JSON has them. */
class Document {
  readonly #fields: Fields

  constructor(fields: Fields) {
    this.#fields = fields
    for (const name of Object.keys(fields)) {
      Object.defineProperty(this, name, { get: () => this.#fields[name], configurable: true })
    }
  }

  toJSON(): Fields {
    return { ...this.#fields }
  }
}

const KINDS = { 'fields of their own': Entity, 'getters and toJSON': Document }

/** A service whose records are instances of a class. */
function open(Kind: new (fields: Fields) => object): any {
  const app: any = alula()
  const records = (all: readonly Fields[]) => ({
    find: async ({ query = {} }: any) => {
      const [[field, condition] = []] = Object.entries<any>(query)
      const wanted = condition?.$in

      return all
        .filter((record) => !wanted || wanted.includes(record[field as string]))
        .map((record) => new Kind(record))
    },
    get: async (id: number) => new Kind(all.find((record) => record.id === id) as Fields)
  })

  app.use(
    'notes',
    records([
      { id: 1, text: 'Engines', ownerId: 7 },
      { id: 2, text: 'Compilers', ownerId: 8 }
    ]),
    {
      schema: schema(Note, {
        computed: {
          size: { from: ['text'], many: (notes) => notes.map(({ text }) => text.length) }
        },
        relations: {
          author: one('users', { from: 'ownerId' }),
          comments: many('comments', { to: 'noteId' }),
          commentCount: count('comments', { to: 'noteId' })
        }
      })
    }
  )
  app.use('users', records([{ id: 7, name: 'Ada', email: 'ada@example.com' }]), {
    schema: schema(User, { hidden: ['email'] })
  })
  app.use('comments', memory({ multi: true, startId: 1 }))

  return app
}

it.each(Object.entries(KINDS))('records with %s get computed fields and relations', async (_title, Kind) => {
  const app = open(Kind)

  await app.service('comments').create({ text: 'Nice', noteId: 1 })

  const query = { $include: ['author', 'comments', 'commentCount'] }
  const comment = { id: 1, text: 'Nice', noteId: 1 }
  const engines = { id: 1, text: 'Engines', ownerId: 7, size: 7, comments: [comment], commentCount: 1 }
  const compilers = {
    id: 2,
    text: 'Compilers',
    ownerId: 8,
    size: 9,
    author: null,
    comments: [],
    commentCount: 0
  }

  const ada = { id: 7, name: 'Ada' }

  expect(await app.service('notes').find({ query })).toMatchObject([{ ...engines, author: ada }, compilers])
  expect(await app.service('notes').get(1, { query })).toMatchObject({ ...engines, author: ada })

  const response = await createHandler(app)(
    new Request('http://localhost/notes?$include[]=author&$include[]=comments&$include[]=commentCount')
  )

  // Without the e-mail address, which the schema of users hides.
  expect(await response.json()).toEqual([{ ...engines, author: ada }, compilers])
})

describe('a record that a service or a hook keeps', () => {
  const isBoss = ({ params }: any) => params.headers?.['x-role'] === 'boss'
  const declared = schema(z.object({ id: z.int(), text: z.string(), ownerId: z.int() }), {
    relations: { secrets: many('secrets', { to: 'noteId' }) },
    computed: { label: { from: ['ownerId'], many: (notes) => notes.map(({ ownerId }) => `of ${ownerId}`) } }
  })
  const NOTE = { id: 1, text: 'a', ownerId: 7 }
  const SECRETS = [{ id: 1, noteId: 1, text: 'for the boss' }]

  function openNotes(notes: any): any {
    const app: any = alula()
    const rules = access({ find: anyone, get: anyone })

    app.use('secrets', memory({ store: SECRETS }), { access: access({ find: isBoss }) })
    app.use('notes', notes, { methods: ['find', 'get'], schema: declared, access: rules })

    const handler = createHandler(app)
    const get = async (path: string, role = 'stranger') => {
      const response = await handler(new Request(`http://localhost${path}`, { headers: { 'x-role': role } }))

      return await response.json()
    }

    return { app, get }
  }

  it('does not get the relations and computed fields of its callers', async () => {
    const kept = [{ ...NOTE }]
    const { get } = openNotes({ find: async () => kept, get: async () => kept[0] })
    const note = { ...NOTE, label: 'of 7' }

    expect(await get('/notes/1?$include=secrets', 'boss')).toEqual({ ...note, secrets: SECRETS })
    expect(await get('/notes/1')).toEqual(note)
    expect(await get('/notes?$include=secrets', 'boss')).toEqual([{ ...note, secrets: SECRETS }])
    expect(await get('/notes')).toEqual([note])
    expect(kept).toEqual([NOTE])
  })

  it('keeps the fields that others are made from', async () => {
    const kept = [{ ...NOTE }]
    const { get } = openNotes({ find: async () => kept, get: async () => kept[0] })

    expect(await get('/notes?$select[]=text&$select[]=label')).toEqual([{ id: 1, text: 'a', label: 'of 7' }])
    expect(await get('/notes?$select[]=text')).toEqual([{ id: 1, text: 'a' }])
    expect(kept).toEqual([NOTE])
  })

  it('is the same in a cache of two hooks', async () => {
    const { app, get } = openNotes(memory({ store: [NOTE] }))
    const cache = new Map<string, object>()
    const note = { ...NOTE, label: 'of 7' }

    app.service('notes').hooks({
      before: {
        get: [
          async (context: any) => {
            if (cache.has(String(context.id))) context.result = cache.get(String(context.id))
          }
        ]
      },
      after: { get: [async ({ id, result }: any) => void cache.set(String(id), result)] }
    })

    for (const _ of ['miss', 'hit']) {
      expect(await get('/notes/1?$include=secrets', 'boss')).toEqual({ ...note, secrets: SECRETS })
      expect(await get('/notes/1')).toEqual(note)
    }
    expect([...cache.values()]).toEqual([NOTE])
  })

  it('has relations and computed fields where a hook shows it to clients', async () => {
    const { app, get } = openNotes(memory({ store: [NOTE, { ...NOTE, id: 2 }], paginate: { default: 5 } }))

    app.service('notes').hooks({
      after: {
        find: [
          async (context: any) => {
            const { result } = context

            context.dispatch = { ...result, data: result.data.slice(1) }
          }
        ]
      }
    })

    const { data } = await get('/notes?$include=secrets', 'boss')

    expect(data).toEqual([{ ...NOTE, id: 2, label: 'of 7', secrets: [] }])
  })

  it('is shown to each caller as a hook shows it to that one', async () => {
    const { app, get } = openNotes(memory({ store: [NOTE] }))
    const kept = [{ id: 7, text: 'for the boss' }]

    app.use('owners', { find: async () => kept }, { access: access({ find: anyone }) })
    app.service('owners').hooks({
      after: {
        find: [
          async (context: any) => {
            context.dispatch = isBoss(context) ? kept : [{ id: 7 }]
          }
        ]
      }
    })
    app.use('pages', memory({ store: [{ id: 1, ownerId: 7 }] }), {
      schema: schema(z.object({ id: z.int(), ownerId: z.int() }), {
        relations: { owner: one('owners', { from: 'ownerId' }) }
      }),
      access: access({ find: anyone })
    })

    const page = { id: 1, ownerId: 7 }

    expect(await get('/pages?$include=owner', 'boss')).toEqual([{ ...page, owner: kept[0] }])
    expect(await get('/pages?$include=owner')).toEqual([{ ...page, owner: { id: 7 } }])
  })
})

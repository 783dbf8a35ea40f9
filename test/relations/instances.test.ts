import { expect, it } from 'vitest'
import { z } from 'zod'
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

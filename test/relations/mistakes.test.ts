// What a developer is told of a relation that cannot be.
import { expect, it } from 'vitest'
import { z } from 'zod'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { count, exists, many, one, schema } from '../../src/schema.ts'

const Note = z.object({ id: z.int(), text: z.string() })

function open(declared: any): any {
  const app: any = alula()

  app.use('notes', memory(), { schema: declared })

  return app
}

it.each<[string, () => unknown]>([
  ["Invalid option 'to' of one(): expected the name of a field", () => one('a', { from: 'b', to: '' })],
  [
    "Invalid option 'filter' of one(): expected an array of fields",
    () => one('a', { from: 'b', filter: 'c' } as any)
  ],
  ["Invalid option 'to' of many(): expected the name of a field", () => many('a', {} as any)],
  [
    "Invalid option 'from' of many(): expected the name of a field",
    () => many('a', { to: 'b', from: 1 } as any)
  ],
  [
    "Invalid option 'filter' of many(): expected an array of fields",
    () => many('a', { to: 'b', filter: {} } as any)
  ],
  [
    "Invalid option 'through' of many(): expected an object with path or table, from and to",
    () => many('a', { through: 'b' } as any)
  ],
  [
    "Invalid option 'path' of through of many(): expected the path of a service",
    () => many('a', { through: { from: 'b', to: 'c' } as any })
  ],
  [
    "Invalid option 'from' of through of many(): expected the name of a field",
    () => many('a', { through: { path: 'b', to: 'c' } as any })
  ],
  [
    "Invalid option 'to' of through of many(): expected the name of a field",
    () => many('a', { through: { path: 'b', from: 'c' } as any })
  ],
  ["Invalid option 'to' of count(): expected the name of a field", () => count('a', {} as any)],
  [
    "Invalid option 'from' of exists(): expected the name of a field",
    () => exists('a', { to: 'b', from: 1 } as any)
  ],
  ['exists() expects the path of a service, and options', () => exists(5 as any, { to: 'b' })],
  ["Unknown option 'through' of count()", () => count('a', { to: 'b', through: {} } as any)]
])('of a relation: %s', (message, make) => {
  expect(make).toThrow(message)
})

it.each<[string, object]>([
  ['ALULA_UNKNOWN_SERVICE', { author: one('users', { from: 'id' }) }],
  ['ALULA_UNKNOWN_SERVICE', { all: many('notes', { through: { path: 'links', from: 'a', to: 'b' } }) }],
  ['ALULA_UNKNOWN_METHOD', { author: one('silent', { from: 'id' }) }],
  ['ALULA_UNKNOWN_FIELD', { author: one('notes', { from: 'id', to: 'none' }) }],
  ['ALULA_UNKNOWN_FIELD', { all: many('notes', { through: { path: 'notes', from: 'id', to: 'none' } }) }]
])('of relations refuses the start: %s', async (code, relations) => {
  const app = open(schema(Note, { relations: relations as any }))

  app.use('silent', { get: async () => ({}) })

  await expect(app.setup()).rejects.toMatchObject({ code })
})

it('of a relation names a field that the other service does not declare, whatever clients may query', async () => {
  const start = (settings: object, Record: z.ZodType = Note) => {
    const app = open(schema(Note, { relations: { all: many('others', { to: 'noteId' }) } }))

    app.use('others', memory(), { schema: schema(Record, settings as any) })

    return app.setup()
  }
  const query = z.object({ q: z.string().optional() })

  for (const settings of [{}, { query }]) {
    await expect(start(settings)).rejects.toThrow(
      "The relation 'all' of service 'notes' asks 'others' for 'noteId'"
    )
  }
  await start({ query, extra: 'keep' })
  await start({ query }, z.looseObject(Note.shape))
  await start({ query }, Note.extend({ noteId: z.int() }))
})

it('a relation that starts from an object or a list refuses the start', async () => {
  const Record = z.object({
    id: z.int(),
    place: z.object({ city: z.string() }).nullable(),
    tags: z.array(z.int()).optional(),
    either: z.union([z.int(), z.object({ id: z.int() })]),
    any: z.any()
  })
  // The last stands for the ids of a database.
  const Json = {
    type: 'object',
    properties: {
      list: { type: ['array', 'null'] },
      both: { type: ['array', 'string'] },
      id: { type: 'object' }
    }
  }
  const start = (record: object, from: string) => {
    const app = open(schema({ record, relations: { all: many('others', { from, to: 'id' }) } }))

    app.use('others', memory())

    return app.setup()
  }

  for (const [record, from] of [
    [Record, 'place'],
    [Record, 'tags'],
    [Json, 'list']
  ] as const) {
    await expect(start(record, from)).rejects.toMatchObject({
      code: 'ALULA_INVALID_RELATION',
      message: expect.stringContaining(
        `The relation 'all' of service 'notes' starts from '${from}', which is an object or a list`
      )
    })
  }
  for (const from of ['id', 'either', 'any']) await start(Record, from)
  await start(Json, 'both')
  await start({ ...Json, properties: { ...Json.properties, id: { type: 'object', properties: {} } } }, 'id')
})

it('a relation may have any name without dots that does not begin with a dollar sign', () => {
  const relate = (name: string) =>
    schema(Note, { relations: { [name]: one('notes', { from: 'id' }) } as any })

  expect(() => relate('a$b')).not.toThrow()
  for (const name of ['$a', 'a.b', ''])
    expect(() => relate(name)).toThrow(`The relation '${name}' of schema() needs a name`)
})

const User = z.object({
  id: z.int(),
  email: z.string(),
  size: z.number(),
  tags: z.array(z.int()),
  joined: z.date(),
  any: z.any(),
  either: z.union([z.string(), z.int()]),
  place: z.object({ id: z.int() })
})

const Post = z.object({ id: z.int(), author: z.string().nullable(), ref: z.int().optional() })

const Link = z.object({ id: z.int(), post: z.int(), user: z.string() })

/** Starts posts with a relation to users. */
function relate(relation: unknown): Promise<unknown> {
  const app: any = alula()

  app.use('posts', memory(), { schema: schema(Post, { relations: { related: relation as any } }) })
  app.use('users', memory(), { schema: schema(User) })
  app.use('links', memory(), { schema: schema(Link) })

  return app.setup()
}

it.each<[string, unknown]>([
  [
    "'author' of 'posts' (a string) with 'id' of 'users' (an integer)",
    one('users', { from: 'author', filter: ['email'] })
  ],
  [
    "'ref' of 'posts' (an integer) with 'email' of 'users' (a string)",
    one('users', { from: 'ref', to: 'email' })
  ],
  ["'id' of 'posts' (an integer) with 'tags' of 'users' (a list)", many('users', { to: 'tags' })],
  ["'id' of 'posts' (an integer) with 'email' of 'users' (a string)", count('users', { to: 'email' })],
  [
    "'author' of 'posts' (a string) with 'size' of 'users' (a number)",
    exists('users', { from: 'author', to: 'size' })
  ],
  [
    "'user' of 'links' (a string) with 'id' of 'users' (an integer)",
    many('users', { through: { path: 'links', from: 'post', to: 'user' } })
  ],
  [
    "'author' of 'posts' (a string) with 'post' of 'links' (an integer)",
    many('users', { from: 'author', to: 'email', through: { path: 'links', from: 'post', to: 'user' } })
  ]
])('a relation between fields whose kinds differ refuses the start: %s', async (compared, relation) => {
  await expect(relate(relation)).rejects.toMatchObject({
    code: 'ALULA_INVALID_RELATION',
    message: `The relation 'related' of service 'posts' compares ${compared}, whose kinds differ (ALULA_INVALID_RELATION)`
  })
})

it('a relation between fields whose values may be equal starts', async () => {
  for (const relation of [
    one('users', { from: 'ref' }),
    one('users', { from: 'ref', to: 'size' }),
    one('users', { from: 'author', to: 'email' }),
    one('users', { from: 'author', to: 'joined' }),
    many('users', { to: 'any' }),
    many('users', { from: 'author', to: 'either' }),
    many('users', { to: 'either' }),
    many('users', { to: 'email', through: { path: 'links', from: 'post', to: 'user' } })
  ]) {
    await relate(relation)
  }
})

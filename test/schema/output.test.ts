import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { callService } from '../../src/core/call.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'

/** What a client sees of a result. */
async function show(
  declared: any,
  result: unknown,
  reports: string[] = [],
  hooks: object = {}
): Promise<unknown> {
  const app: any = alula()

  app.on('error', ({ message }: Error) => reports.push(message))
  app.use('things', { find: async () => result }, { schema: declared })
  app.service('things').hooks(hooks)

  return (await callService(app.service('things'), { method: 'find', params: { provider: 'rest' } } as any))
    .dispatch
}

const id = z.int()

describe('what leaves', () => {
  it('is all of a field that may be anything, though it may be an object too', async () => {
    const declared = schema(z.object({ id, field: z.union([z.object({ name: z.string() }), z.any()]) }))

    expect(await show(declared, { id: 1, field: { name: 'a', more: { deep: 1 } } })).toEqual({
      ...{ id: 1, field: { name: 'a', more: { deep: 1 } } }
    })
  })

  it('is a field of which the schema lists the values, objects and lists among them', async () => {
    const properties = {
      id: { type: 'integer' },
      object: { enum: [{ a: 1 }, { a: 2 }] },
      only: { const: { a: { b: 1 } } },
      list: { enum: [[1, 2], null] },
      mixed: { anyOf: [{ const: { a: 1 } }, { enum: ['x', { b: 1 }] }] }
    }
    const records = [
      { id: 1, object: { a: 2 }, only: { a: { b: 1 } }, list: [1, 2], mixed: 'x' },
      { id: 2, object: { a: 1 }, only: { a: { b: 1 } }, list: null, mixed: { b: 1 } }
    ]
    const reports: string[] = []

    expect(await show(schema({ type: 'object', properties }), structuredClone(records), reports)).toEqual(
      records
    )
    expect(reports).toEqual([])
  })

  it('is nothing of an object in a record that has the name of a computed field', async () => {
    const declared = schema(z.object({ id, inner: z.object({ name: z.string() }) }), {
      computed: { size: { from: ['id'], many: (records) => records.map(() => 1) } }
    })

    expect(await show(declared, { id: 1, inner: { name: 'a', size: 'secret' } })).toEqual({
      ...{ id: 1, inner: { name: 'a' }, size: 1 }
    })
  })

  it('are the records of a page, and what only looks like a page is a record', async () => {
    const Page = z.object({ id, data: z.array(z.string()), limit: z.number(), skip: z.string().optional() })
    const page = { total: 1, limit: 1, skip: 0, data: [{ id: 1, secret: 1 }], more: 1 }

    expect(await show(schema(z.object({ id })), page)).toEqual({
      total: 1,
      limit: 1,
      skip: 0,
      data: [{ id: 1 }]
    })
    expect(
      Object.keys((await show(schema(z.object({ id })), { limit: 1, skip: 0, data: [] })) as object)
    ).toEqual(['limit', 'skip', 'data'])
    for (const record of [
      { id: 1, data: ['a'], limit: 1 },
      { id: 1, data: ['a'], limit: 1, skip: 'x' }
    ]) {
      expect(await show(schema(Page), record)).toEqual(record)
    }
  })

  it('is a page with all of its own fields, those of both kinds of pages', async () => {
    const page = { limit: 1, skip: 0, data: [{ id: 1, secret: 1 }], hasNextPage: true, endCursor: 'x' }

    expect(await show(schema(z.object({ id })), page)).toEqual({ ...page, data: [{ id: 1 }] })
  })

  it('is a list in a list, and a value where a list may be', async () => {
    const declared = schema(
      z.object({
        id,
        rows: z.array(z.array(z.object({ a: z.int() }))),
        one: z.union([z.string(), z.array(z.string())])
      })
    )

    expect(await show(declared, { id: 1, rows: [[{ a: 1, b: 2 }], []], one: 'x' })).toEqual({
      ...{ id: 1, rows: [[{ a: 1 }], []], one: 'x' }
    })
    expect(await show(declared, { id: 1, rows: [[]], one: ['x'] })).toEqual({ id: 1, rows: [[]], one: ['x'] })
  })

  it('is what a value is, if it is no record', async () => {
    const declared = schema(z.object({ id }))

    for (const value of [null, 'text', 5, [null, 'text', 5]])
      expect(await show(declared, value)).toEqual(value)
  })
})

describe('what leaves of the result of a custom method', () => {
  const Name = z.object({ name: z.string() })
  const own = { id: 1, name: 'a', secret: 's' }

  it.each([
    ['nullable', Name.nullable(), own, { name: 'a' }],
    ['a nullable list', z.array(Name).nullable(), [own], [{ name: 'a' }]],
    ['one of several', z.union([Name, z.object({ size: z.int() })]), own, { name: 'a' }],
    ['of two parts', Name.and(z.object({ id })), own, { id: 1, name: 'a' }],
    ['a map and more', z.record(z.string(), z.int()).and(z.object({ id })), { id: 1, a: 2 }, { id: 1, a: 2 }],
    ['more and a map', z.object({ id }).and(z.record(z.string(), z.int())), { id: 1, a: 2 }, { id: 1, a: 2 }],
    ['anything', z.any(), own, own],
    ['a name or anything', z.union([Name, z.unknown()]), own, own],
    ['a list of anything', z.array(z.any()), [own, 1], [own, 1]],
    ['a list of lists of anything', z.array(z.array(z.any())), [[own], []], [[own], []]]
  ])('is what its schema declares, where that is %s', async (_title, result, returned, shown) => {
    const app: any = alula()

    app.use('things', { read: async () => returned } as any, {
      methods: ['read'],
      schema: schema(z.object({ id }), { methods: { read: { result } } })
    })

    expect(await app.asClient().service('things').read({})).toEqual(shown)
  })

  it('has no hidden fields of the records of another service, in lists of lists either', async () => {
    const app: any = alula()
    const User = z.object({ id, password: z.string() })
    const users = memory({ store: [{ id: 1, password: 'p' }] })

    app.use('users', users, { schema: schema(User, { hidden: ['password'] }) })
    app.use('things', { read: async () => [[await app.service('users').get(1)]] } as any, {
      methods: ['read'],
      schema: schema(z.object({ id }), { methods: { read: { result: z.array(z.array(User)) } } })
    })

    expect(await app.asClient().service('things').read({})).toEqual([[{ id: 1 }]])
  })

  it('is an instance of a class where a call selects no computed field', async () => {
    class Doc {
      id = 1
      title = 'a'

      get up() {
        return this.title.toUpperCase()
      }
    }

    const app: any = alula()

    app.use('docs', { get: async () => new Doc() } as any, {
      schema: schema(z.object({ id, title: z.string() }), {
        computed: { loud: { from: ['title'], many: (docs) => docs.map(({ title }) => title.toUpperCase()) } }
      })
    })

    const doc = await app.service('docs').get(1, { query: { $select: ['id', 'title'] } })

    expect(doc).toBeInstanceOf(Doc)
    expect(doc.up).toBe('A')
  })
})

describe('a result that is not what its schema says', () => {
  const declared = () =>
    schema({
      record: {
        anyOf: [
          {
            type: 'object',
            required: ['id', 'kind', 'size'],
            properties: { id: { type: 'integer' }, kind: { const: 'a' }, size: { type: 'number' } }
          },
          {
            type: 'object',
            required: ['id', 'kind'],
            properties: { id: { type: 'integer' }, kind: { const: 'b' } }
          }
        ]
      },
      create: { type: 'object' },
      patch: { type: 'object' }
    })

  it('lacks a field that all of its kinds have', async () => {
    const reports: string[] = []

    await show(declared(), [{ id: 1 }, { kind: 'b', id: 2, size: 'x' }], reports)

    expect(reports).toEqual([
      "A result of 'things' (find) is not what its schema says: 'kind' is missing (ALULA_RESULT)",
      "A result of 'things' (find) is not what its schema says: 'size' expects a number, got a string (ALULA_RESULT)"
    ])
  })

  it('has another value where a string or an object may be', async () => {
    const reports: string[] = []
    const Author = z.union([z.string(), z.object({ name: z.string() })])

    await show(schema(z.object({ id, author: Author })), [{ id: 1, author: { name: 'Ada' } }], reports)
    await show(schema(z.object({ id, author: Author })), [{ id: 1, author: 5 }], reports)

    expect(reports).toEqual([
      "A result of 'things' (find) is not what its schema says: 'author' expects a string or an object, got a number (ALULA_RESULT)"
    ])
  })

  it('may lack some where a hook has chosen what clients see', async () => {
    const reports: string[] = []
    const after = { find: [(context: any) => void Object.assign(context, { dispatch: { id: 1 } })] }

    await show(declared(), { id: 1 }, reports, { after })

    expect(reports).toEqual([])
  })
})

import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone } from '../../src/access.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { configureNotes, createApp, getToken } from './support/application.ts'
import { CLIENTS, connect, post } from './support/clients.ts'

describe.each(Object.entries(CLIENTS))('%s', (_name, open) => {
  it('lists what its caller may call, and calls it with the rights of the caller', async () => {
    const app = await createApp()
    const ada = await open(app, { token: await getToken(app, 1) })
    const root = await open(app, { token: await getToken(app, 3) })
    const names = async (client: any) => (await client.list()).map(({ name }: any) => name)

    expect(await names(ada)).toEqual([
      'users_get',
      ...['notes_find', 'notes_get', 'notes_create', 'notes_patch', 'notes_remove', 'notes_finish'],
      ...['posts_find', 'posts_create']
    ])
    expect(await names(root)).toEqual(['users_find', ...(await names(ada))])

    const { json } = await ada.call('notes_create', { data: { text: 'milk' } })

    expect(json).toEqual({ id: 0, text: 'milk', state: 'open', ownerId: 1 })
    expect((await ada.call('notes_find', { query: { text: 'milk' } })).json.data).toEqual([json])
    expect((await root.call('notes_find')).json.data).toEqual([])
    expect((await ada.call('notes_finish', { data: { ids: [0] } })).json).toEqual({ count: 1 })
  })

  it('gets faults as sentences, and what there is not as an error of the protocol', async () => {
    const app = await createApp()
    const ada = await open(app, { token: await getToken(app, 1) })
    const fault = async (name: string, args: object) => {
      const { isError, text } = await ada.call(name, args)

      expect(isError).toBe(true)

      return text
    }

    expect(await fault('notes_create', { data: { text: '' } })).toMatch(/^BadRequest: .*text/)
    expect(await fault('notes_create', { data: { text: 'a', state: 'lost' } })).toMatch(/state/)
    expect(await fault('notes_create', { data: { text: 'a', ownerId: 2 } })).toMatch(
      /'ownerId' is set by the server/
    )
    expect(await fault('notes_get', { id: 9 })).toMatch(/^NotFound: /)
    expect(await fault('notes_get', {})).toBe(
      "BadRequest: Invalid argument 'id': expected the id of a record"
    )
    expect(await fault('notes_find', { qery: {} })).toBe(
      "BadRequest: Unknown argument 'qery'. Did you mean 'query'?"
    )
    expect(await fault('notes_find', { query: { secret: 'SENTINEL' } })).toMatch(/^BadRequest: .*secret/)
    expect(await fault('users_find', {})).toBe("Forbidden: You may not call 'find' of 'users'")
    await expect(ada.call('notes_fnd')).rejects.toThrow(
      "Unknown tool 'notes_fnd'. Did you mean 'notes_find'?"
    )
  })
})

it('a call is one of the provider mcp, and says which client has made it', async () => {
  const app = await createApp()
  const seen: any[] = []

  app.service('notes').hooks({ before: { create: [({ params }: any) => void seen.push(params)] } })
  app.service('notes').on('created', (note: any) => seen.push(note))
  await (await connect(app, 1)).call('notes_create', { data: { text: 'milk' } })

  const [params, created] = seen

  expect(params).toMatchObject({
    provider: 'mcp',
    authenticated: true,
    user: { id: 1 },
    mcp: { client: { name: 'a test', version: '1.2.3' } }
  })
  expect(params.connection).toBeUndefined()
  expect(JSON.stringify(params)).not.toMatch(/eyJ|authorization/)
  expect(created).toMatchObject({ text: 'milk', ownerId: 1 })
})

it('tools are described by the words of the schema, the rule, and what the method does', async () => {
  const app = await createApp()
  const tools = await (await connect(app, 1)).list()
  const [find, , create, , , finish] = tools.slice(1)

  expect(find).toEqual({
    name: 'notes_find',
    description: 'Finds records of notes. What somebody has to remember. For owners of the record.',
    annotations: { readOnlyHint: true, openWorldHint: false },
    inputSchema: {
      type: 'object',
      properties: {
        query: {
          type: 'object',
          description: 'By field: a value, or an object of $eq $ne $lt $lte $gt $gte $in $nin $null',
          properties: {
            id: { type: ['integer', 'object'] },
            text: { type: ['string', 'object'] },
            state: { anyOf: [{ enum: ['open', 'done'] }, { type: 'object' }] },
            ownerId: { type: ['integer', 'object'] },
            $limit: { type: 'integer' },
            $skip: { type: 'integer' },
            $sort: { type: 'object' },
            $select: { type: 'array', items: { type: 'string' } }
          }
        }
      }
    }
  })
  expect(finish.description).toBe('Calls finish of notes. Marks notes as done. For users.')
  expect(create.annotations).toEqual({ destructiveHint: false, openWorldHint: false })
  expect(finish.annotations).toEqual({ destructiveHint: true, openWorldHint: false })
  expect(JSON.stringify(tools)).not.toMatch(/secret|password|\$ref/)
})

it('a tool for pages with cursors takes cursors in place of a number to skip', async () => {
  const app = await createApp({}, (app) => {
    configureNotes(app)
    ;(app.service('notes') as any).options.paginate = { default: 1, max: 10, cursor: true }
  })

  for (const text of ['one', 'two']) await app.service('notes').create({ text, ownerId: 1 })

  const ada = await connect(app, 1)
  const [find] = (await ada.list()).filter(({ name }: any) => name === 'notes_find')
  const { properties } = find.inputSchema.properties.query

  expect(Object.keys(properties)).toEqual(expect.arrayContaining(['$after', '$before', '$total']))
  expect(properties).not.toHaveProperty('$skip')

  const { json: first } = await ada.call('notes_find', { query: { $total: true } })
  const { json: second } = await ada.call('notes_find', { query: { $after: first.endCursor } })

  expect([first.total, first.data[0].text, second.data[0].text]).toEqual([2, 'one', 'two'])
})

it('two callers at once see their own tools and records', async () => {
  const app = await createApp()
  const ada = await connect(app, 1)
  const root = await connect(app, 3)

  await ada.call('notes_create', { data: { text: 'of ada' } })
  await root.call('notes_create', { data: { text: 'of root' } })

  const rounds = Array.from({ length: 25 }, async () => {
    const [adasTools, roots, adas, rootsNotes] = await Promise.all([
      ada.list(),
      root.list(),
      ada.call('notes_find'),
      root.call('notes_find')
    ])

    expect(adasTools.map(({ name }) => name)).not.toContain('users_find')
    expect(roots.map(({ name }) => name)).toContain('users_find')
    expect(adas.json.data.map(({ text }: any) => text)).toEqual(['of ada'])
    expect(rootsNotes.json.data.map(({ text }: any) => text)).toEqual(['of root'])
  })

  await Promise.all(rounds)
})

describe("with the style 'few'", () => {
  it.each([
    [
      'call',
      { tool: 'notes_find', arguments: '{"query":{"text":"milk"}}' },
      "Invalid argument 'arguments': expected an object"
    ],
    ['call', { tool: 'notes_find', arguments: [{}] }, "Invalid argument 'arguments': expected an object"],
    ['call', { tool: 'notes_find', args: {} }, "Unknown argument 'args': expected tool, arguments"],
    ['call', { tool: 'notes_find', argument: {} }, "Unknown argument 'argument'. Did you mean 'arguments'?"],
    ['call', { tool: ['notes_find'] }, "Invalid argument 'tool': expected the name of a tool"],
    ['call', { tool: { toString: 1 } }, "Invalid argument 'tool': expected the name of a tool"],
    ['describe', {}, "Invalid argument 'tool': expected the name of a tool"],
    ['describe', { tool: 'notes_find', query: {} }, "Unknown argument 'query': expected tool"],
    ['list', { query: {} }, "Unknown argument 'query': expected none"]
  ])('%s refuses the arguments %j', async (name, args, sentence) => {
    const app = await createApp({ style: 'few' })
    const { result } = (
      await post(app, 'tools/call', { name, arguments: args }, { token: await getToken(app, 1) })
    ).body

    expect(result).toMatchObject({ isError: true, content: [{ text: `BadRequest: ${sentence}` }] })
  })

  it('a call finds by its arguments, and describes what its caller is listed', async () => {
    const app = await createApp({ style: 'few' })
    const send = async (id: number, name: string, args: object) =>
      (await post(app, 'tools/call', { name, arguments: args }, { token: await getToken(app, id) })).body

    await app.service('notes').create({ text: 'milk', ownerId: 1 })
    await app.service('notes').create({ text: 'bread', ownerId: 1 })

    const found = await send(1, 'call', { tool: 'notes_find', arguments: { query: { text: 'milk' } } })

    expect(JSON.parse(found.result.content[0].text)).toMatchObject({ total: 1, data: [{ text: 'milk' }] })
    expect((await send(3, 'describe', { tool: 'users_find' })).result.content[0].text).toContain('users_find')
    expect((await send(1, 'describe', { tool: 'users_find' })).error.message).toMatch(
      "Unknown tool 'users_find'"
    )
    expect((await send(1, 'call', { tool: 'users_find' })).result).toMatchObject({
      isError: true,
      content: [{ text: "Forbidden: You may not call 'find' of 'users'" }]
    })
  })
})

it('every tool of a service takes the query that its schema for queries checks', async () => {
  const app = await createApp({ confirm: false }, (app) => {
    configureNotes(app)
    app.use('tasks', memory({ startId: 1 }), {
      schema: schema(z.object({ id: z.int(), text: z.string() }), {
        query: z.object({ q: z.string().max(9), $limit: z.int().optional() })
      }),
      access: access({ all: anyone })
    })
    app.service('tasks').hooks({ before: { all: [({ params }: any) => void delete params.query.q] } })
  })
  const client = await connect(app, 1)
  const query = { q: 'a' }
  const data = { text: 'milk' }
  const [get] = (await client.list()).filter(({ name }: any) => name === 'tasks_get')

  expect(get.inputSchema.required).toEqual(['id', 'query'])

  const results = [
    await client.call('tasks_create', { data, query }),
    await client.call('tasks_get', { id: 1, query }),
    await client.call('tasks_update', { id: 1, data, query }),
    await client.call('tasks_patch', { id: 1, data, query }),
    await client.call('tasks_remove', { id: 1, query })
  ]

  for (const { json } of results) expect(json).toEqual({ id: 1, text: 'milk' })
  expect((await client.call('tasks_get', { id: 1, query: { q: 'a'.repeat(10) } })).text).toMatch(/'q'/)
  expect((await client.call('tasks_get', { id: 1 })).text).toMatch(/'q'/)
})

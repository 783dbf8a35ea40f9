import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone } from '../../src/access.ts'
import type { Application } from '../../src/index.ts'
import { mcp } from '../../src/mcp.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { describeHttpTransports } from '../support/transports.ts'
import { configureNotes, createApp, getToken } from './support/application.ts'
import { connect, connectCurrent, post } from './support/clients.ts'

const Text = z.object({ id: z.int(), text: z.string() })

/** Texts of 10,000 bytes. */
const store = Object.fromEntries(Array.from({ length: 20 }, (_, id) => [id, { id, text: 'ä'.repeat(5000) }]))
const open = (configure: (app: Application) => void) => createApp({ anonymous: true }, configure)

describe('a result that is too large', () => {
  it.each([
    ['a page', { paginate: { default: 20 } }, undefined, (json: any) => json.data],
    ['a list', {}, undefined, (json: any) => json],
    ['an envelope', {}, { one: 'item', many: 'items' }, (json: any) => json.items]
  ])(
    'has the first whole records of %s, and says what to do',
    async (_name, options, envelope, toRecords) => {
      const app = await open((one) => {
        one.use('texts', memory({ store: structuredClone(store), ...options }), {
          methods: ['find'],
          schema: schema(Text, envelope ? { envelope } : {}),
          access: access({ find: anyone })
        })
      })
      const { json, result, isError } = await (await connectCurrent(app)).call('texts_find')

      expect(isError).toBe(false)
      expect(toRecords(json)).toEqual([0, 1, 2, 3].map((id) => store[id]))
      expect(Buffer.byteLength(result.content[0].text)).toBeLessThanOrEqual(50_000)
      expect(result.content[1].text).toMatch(
        /^Only the first 4 of 20 records are here, which are 200\d\d\d bytes: use \$select or \$limit$/
      )
    }
  )

  it('of one record is left out', async () => {
    const app = await open((one) => {
      one.use('texts', memory({ store: { 1: { id: 1, text: 'a'.repeat(60_000) } } }), {
        methods: ['get'],
        schema: schema(Text),
        access: access({ get: anyone })
      })
    })
    const client = await connectCurrent(app)

    expect((await client.call('texts_get', { id: 1 })).text).toMatch(
      /^Done. The result has 600\d\d bytes and is left out: use \$select/
    )
    expect((await client.call('texts_get', { id: 1, query: { $select: ['id'] } })).json).toEqual({ id: 1 })
  })

  it('of a page that is large beside its records is left out', async () => {
    const app = await open((one) => {
      one.use('texts', memory({ store: structuredClone(store), paginate: { default: 2 } }), {
        methods: ['find'],
        schema: schema(Text, { view: ({ dispatch }) => ({ ...dispatch, facets: 'x'.repeat(60_000) }) }),
        access: access({ find: anyone })
      })
    })
    const { text } = await (await connectCurrent(app)).call('texts_find')

    expect(text).toMatch(/^Done. The result has 80\d\d\d bytes and is left out: use \$select/)
  })
})

it.each([
  ['nothing', undefined, (json: any) => json],
  ['an envelope', { many: 'data' }, (json: any) => json],
  ['an envelope of one', { one: 'item', many: 'data' }, (json: any) => json.item]
])(
  'a large record with a list of the name that a page has is left out, in %s',
  async (_, envelope, toRecord) => {
    const data = Array.from({ length: 20 }, () => 'a'.repeat(5000))
    const app = await open((one) => {
      one.use('texts', memory({ store: { 1: { id: 1, data }, 2: { id: 2, data: ['a'] } } as any }), {
        methods: ['get'],
        schema: schema(z.object({ id: z.int(), data: z.array(z.string()) }), envelope ? { envelope } : {}),
        access: access({ get: anyone })
      })
    })
    const client = await connectCurrent(app)

    expect((await client.call('texts_get', { id: 1 })).text).toMatch(/^Done. The result has/)
    expect(toRecord((await client.call('texts_get', { id: 2 })).json)).toEqual({ id: 2, data: ['a'] })
  }
)

describe('placeholders', () => {
  const configure = (app: Application) => {
    configureNotes(app)
    app.use('notes/:noteId/tags', memory({ store: {} }), {
      methods: ['find', 'create'],
      parent: { noteId: 'notes' },
      schema: schema(z.object({ id: z.int(), name: z.string(), noteId: z.int() })),
      access: access({ all: anyone })
    })
    app.use(
      'a/:id/b',
      {
        get: async (id: string, { route }: any) => ({ id, of: route.id }),
        done: async (_data: any, { route }: any) => ({ id: '', of: `${route.id} ${route.key}` })
      },
      {
        methods: ['get', 'done'],
        routes: { 'PUT /:key/done': 'done' },
        schema: schema(z.object({ id: z.string(), of: z.string() }), {
          methods: { done: { result: z.object({ id: z.string(), of: z.string() }) } }
        }),
        access: access({ all: anyone })
      }
    )
    app.use('a/fixed/b', { get: async () => ({ id: 'fixed', of: 'another service' }) }, { methods: ['get'] })
  }

  it('are arguments, and parents are asked for as the caller', async () => {
    const app = await createApp({}, configure)
    const [ada, grace] = [await connect(app, 1), await connect(app, 2)]

    await ada.call('notes_create', { data: { text: 'a' } })

    const tool = (await ada.list()).find(({ name }) => name === 'notes_noteId_tags_create')

    expect(tool.inputSchema.required).toEqual(['noteId', 'data'])
    expect((await ada.call(tool.name, { noteId: 0, data: { name: 'x' } })).json).toEqual({
      id: 0,
      name: 'x',
      noteId: 0
    })
    expect((await grace.call(tool.name, { noteId: 0, data: { name: 'y' } })).text).toMatch(/^NotFound/)
    expect((await ada.call('notes_noteId_tags_find', { noteId: 0 })).json).toHaveLength(1)
  })

  it('with a name that is taken have another, and lead to no other service', async () => {
    const app = await createApp({}, configure)
    const ada = await connect(app, 1)

    expect((await ada.call('a_id_b_get', { path_id: 'x', id: 'y' })).json).toEqual({ id: 'y', of: 'x' })
    expect((await ada.call('a_id_b_done', { path_id: 'x', key: 'y' })).json).toEqual({ id: '', of: 'x y' })
    expect((await ada.call('a_id_b_get', { path_id: 'fixed', id: 'y' })).text).toMatch(/^NotFound/)

    for (const path_id of ['', 'x/y', '../x', null, { a: 1 }, undefined]) {
      const { text } = await ada.call('a_id_b_get', { path_id, id: 'y' })

      expect(text).toMatch(/^(?:BadRequest: Invalid argument 'path_id'|NotFound)/)
    }
  })
})

it('placeholders have a name each, also one that is called what another one becomes', async () => {
  const Result = z.object({ of: z.string() })
  const toResult = async (_: unknown, { route }: any) => ({
    of: [route.id, route.path_id, route.path_path_id].join(' ')
  })
  const app = await createApp({ anonymous: true }, (one) => {
    one.use(
      'a/:id/:path_id',
      { find: (params: any) => toResult(undefined, params), done: toResult },
      {
        methods: ['find', 'done'],
        routes: { 'PUT /done/:path_path_id': 'done' },
        schema: schema(Result, { methods: { done: { result: Result } } }),
        access: access({ all: anyone })
      }
    )
  })
  const client = await connectCurrent(app)
  const tools = await client.list()
  const listRequired = (name: string) => tools.find((tool: any) => tool.name === name).inputSchema.required
  const given = { path_id: 'x', path_path_id: 'y' }

  expect(listRequired('a_id_path_id_find')).toEqual(Object.keys(given))
  expect((await client.call('a_id_path_id_find', given)).json).toEqual({ of: 'x y ' })

  const further = { ...given, path_path_path_id: 'z' }

  expect(listRequired('a_id_path_id_done')).toEqual(Object.keys(further))
  expect((await client.call('a_id_path_id_done', further)).json).toEqual({ of: 'x y z' })
})

it('unexpected errors show no more than elsewhere', async () => {
  const app = await createApp({ anonymous: true }, (one) => {
    one.use(
      'texts',
      { find: async () => Promise.reject(new Error('password=hunter2 at db.internal')) },
      {
        methods: ['find'],
        schema: schema(Text),
        access: access({ find: anyone })
      }
    )
  })
  const environment = process.env.NODE_ENV
  const reported: unknown[] = []

  app.on('error', (error: unknown) => reported.push(error))
  process.env.NODE_ENV = 'production'

  try {
    expect((await (await connectCurrent(app)).call('texts_find')).text).toBe(
      'GeneralError: An unexpected error occurred on the server'
    )
  } finally {
    process.env.NODE_ENV = environment
  }

  expect(reported).toHaveLength(1)
})

it('messages have a bound, and there is one in a request', async () => {
  const app = await createApp()
  const token = await getToken(app, 1)
  const large = await post(
    app,
    'tools/call',
    { name: 'notes_create', arguments: { data: { text: 'a'.repeat(200_000) } } },
    { token }
  )

  expect(large.response.status).toBe(413)

  const { createHandler } = await import('../../src/fetch.ts')
  const send = async (body: string) => {
    const response = await createHandler(app)(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          Authorization: `Bearer ${token}`
        },
        body
      })
    )

    return [response.status, ((await response.json()) as any).error.code]
  }
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }

  expect(await send(JSON.stringify([ping, ping]))).toEqual([400, -32_600])
  expect(await send('{')).toEqual([400, -32_700])
})

describe('hostile arguments', () => {
  it.each([
    ['__proto__', '{"query":{"__proto__":{"isAdmin":true}}}'],
    ['constructor', '{"query":{"constructor":{"prototype":{"x":1}}}}'],
    ['an operator', '{"query":{"$where":"1"}}'],
    ['an operator in a field', '{"query":{"text":{"$regex":"a"}}}'],
    ['an unknown field', '{"query":{"undeclared":1}}'],
    ['a hidden field in $sort', '{"query":{"$sort":{"secret":1}}}'],
    ['a hidden field in $or', '{"query":{"$or":[{"secret":"SENTINEL"}]}}'],
    ['a list', '{"query":[1]}'],
    ['an unknown argument', '{"__proto__":1}'],
    ['another unknown argument', '{"hasOwnProperty":1}'],
    ['params', '{"provider":"x"}']
  ])('%s is refused', async (_name, args) => {
    const app = await createApp()
    const token = await getToken(app, 1)
    const { body } = await post(
      app,
      'tools/call',
      { name: 'notes_find', arguments: JSON.parse(args) },
      { token }
    )
    const { result } = body

    // What the package drops before is as if it was not sent.
    if (result.isError) expect(result.content[0].text).toMatch(/^BadRequest/)
    else expect(JSON.parse(result.content[0].text).data).toEqual([])
    expect(({} as any).isAdmin ?? ({} as any).x).toBeUndefined()
    expect(JSON.stringify(body)).not.toContain('SENTINEL')
  })

  it('records of others are not there, whatever is asked', async () => {
    const app = await createApp()
    const note = await app.service('notes').create({ text: 'of ada', state: 'open', secret: 's', ownerId: 1 })
    const grace = await connect(app, 2, { answer: 'accept' })

    expect((await grace.call('notes_get', { id: note.id })).text).toMatch(/^NotFound/)
    expect((await grace.call('notes_patch', { id: note.id, data: { text: 'x' } })).text).toMatch(/^NotFound/)
    expect((await grace.call('notes_remove', { id: note.id })).text).toMatch(/^NotFound/)
    expect((await grace.call('notes_remove', { id: null })).json).toEqual([])
    expect((await grace.call('notes_find', { query: { ownerId: 1 } })).json.data).toEqual([])
    expect(
      (await grace.call('notes_find', { query: { $or: [{ id: note.id }, { ownerId: 1 }] } })).json.data
    ).toEqual([])
    expect(await app.service('notes').get(note.id)).toMatchObject({ text: 'of ada' })
  })
})

describeHttpTransports('MCP', (openTransport) => {
  it('is served, with the login of its callers', async () => {
    let app!: Application
    const { request, base = '' } = await openTransport((one) => {
      one.configure(mcp({ resource: 'http://localhost/mcp' }))
      configureNotes(one)
      app = one
    })

    if (!(app as any)._isSetup) await app.setup()

    const token = await getToken(app, 1)
    const send = async (sent: Request) =>
      request(new URL(sent.url).pathname.replace(base, ''), {
        method: sent.method,
        headers: Object.fromEntries(sent.headers),
        ...(sent.method === 'POST' && { body: await sent.text() })
      })
    const client = await connectCurrent(app, { token, send })

    expect((await client.call('notes_create', { data: { text: 'a' } })).json).toMatchObject({ ownerId: 1 })
    await expect(connectCurrent(app, { send })).rejects.toThrow()
  })
})

import { expect, it, vi } from 'vitest'
import { z } from 'zod'
import { access, anyone, closed, exposure, user } from '../../src/access.ts'
import { createHandler } from '../../src/fetch.ts'
import { type Application, alula } from '../../src/index.ts'
import { mcp } from '../../src/mcp.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { addAuthentication } from '../support/login.ts'
import { configureNotes, createApp, RESOURCE } from './support/application.ts'
import { connectCurrent } from './support/clients.ts'

const Thing = z.object({ id: z.int(), name: z.string() })
const declared = { schema: schema(Thing), access: access({ all: anyone }) }

/** What the process is warned of while a function runs. */
async function listWarnings(run: () => Promise<unknown>): Promise<string[]> {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)

  try {
    await run()

    return emitWarning.mock.calls
      .filter(([, options]: any) => options?.code === 'ALULA_MCP_TOOLS')
      .map(([sentence]) => String(sentence))
  } finally {
    emitWarning.mockRestore()
  }
}

const open = (configure: (app: Application) => void, options = {}) =>
  createApp({ anonymous: true, ...options }, configure)

it.each([
  [{}, "Invalid option 'resource' of mcp()"],
  [{ resource: 'http://api.example.org/mcp' }, "Invalid option 'resource' of mcp()"],
  [{ resource: RESOURCE, path: 'mcp' }, "Invalid option 'path' of mcp()"],
  [{ resource: RESOURCE, anonymous: undefined }, "Invalid option 'anonymous' of mcp()"],
  [{ resource: RESOURCE, issuers: [] }, "Invalid option 'issuers' of mcp()"],
  [{ resource: RESOURCE, confirms: [] }, "Unknown option 'confirms' of mcp(). Did you mean 'confirm'?"]
])('refuses the options %j', (options, message) => {
  expect(() => mcp(options as any)).toThrow(message)
})

it.each([
  [{ services: ['noets'] }, "the application has no service 'noets'. Did you mean 'notes'?"],
  [{ confirm: ['finsh'] }, "there is no tool of a method 'finsh'. Did you mean 'finish'?"],
  [{ issuers: [{ issuer: 'a' }] }, "'issuers[0].jwks' of mcp()"]
])('does not start with the options %j', async (options, message) => {
  await expect(createApp(options as any)).rejects.toThrow(message)
})

it('needs a login, unless callers may be anonymous', async () => {
  await expect(createApp({}, (app) => void app.use('things', memory(), declared))).rejects.toThrow(
    'mcp() needs an authentication service'
  )
  await open((app) => void app.use('things', memory(), declared))
})

it('is configured once, before the application is set up', async () => {
  const app = await createApp()

  expect(() => app.configure(mcp({ resource: RESOURCE }))).toThrow('before the application is set up')

  const twice = alula().configure(mcp({ resource: RESOURCE }))

  expect(() => twice.configure(mcp({ resource: RESOURCE }))).toThrow('configured on the application already')
})

it('a start that has failed may be tried again', async () => {
  const app = alula().configure(mcp({ resource: RESOURCE, services: ['things'], anonymous: true }))

  await expect(app.setup()).rejects.toThrow("the application has no service 'things'")
  app.use('things', memory(), { methods: ['find'], ...declared })
  await app.setup()

  expect((await (await connectCurrent(app)).list()).map(({ name }) => name)).toEqual(['things_find'])
})

it('names what is no tool, and exposure knows what is one', async () => {
  let app!: Application
  const warnings = await listWarnings(async () => {
    app = await open((one) => {
      addAuthentication(one)
      one.use('users', memory(), { methods: ['get'], schema: schema(Thing), access: access({ get: user }) })
      one.use('plain', memory(), { methods: ['find'], access: access({ find: anyone }) })
      one.use('open', memory(), { methods: ['find'], schema: schema(Thing) })
      one.use('described', memory(), {
        methods: ['find'],
        schema: schema(Thing, { enforce: false }),
        access: access({ find: anyone })
      })
      one.use(
        'things',
        Object.assign(memory(), { send: async () => ({ a: 1 }), ask: async () => ({ a: 1 }) }),
        {
          methods: ['find', 'send', 'ask', 'remove'],
          schema: schema(Thing, {
            methods: { send: { data: z.object({}) }, ask: { result: z.object({ a: z.int() }) } }
          }),
          access: access({ find: anyone, send: anyone, ask: anyone })
        }
      )
    })
  })

  expect(warnings).toEqual([
    "These methods are no tools of MCP: find of 'plain' (no schema); find of 'open' (no access rule); find of 'described' (no schema); send of 'things' (no schema of its result)"
  ])
  expect(
    exposure(app)
      .filter(({ transports }) => transports.includes('mcp'))
      .map(({ service, method }) => `${service}.${method}`)
  ).toEqual(['users.get', 'things.find', 'things.ask'])
})

it('tools are those of the services that are named', async () => {
  const app = await createApp({ services: ['posts'], anonymous: true })
  const client = await connectCurrent(app)

  expect((await client.list()).map(({ name }) => name)).toEqual(['posts_find', 'posts_create'])
  expect(exposure(app).filter(({ transports }) => transports.includes('mcp'))).toHaveLength(2)
})

it('names fit what clients accept, and two that are alike fail at the start', async () => {
  const long = `${'a'.repeat(60)}/b`
  // Alike at the beginning, or at the end.
  const nested = [
    ...['comments', 'attachments'].map((name) => `organizations/:org/projects/:project/tasks/:task/${name}`),
    ...['admin', 'public'].map((name) => `${name}/organizations/members/notification-preferences`)
  ]
  const app = await open((one) => {
    for (const path of ['deep/note-tags', long, 'users/:userId/notes', ...nested])
      one.use(path, memory(), { ...declared, methods: ['find'] })
  })
  const names = (await (await connectCurrent(app)).list()).map(({ name }) => name)

  expect(names).toEqual([
    'deep_note-tags_find',
    `${'a'.repeat(43)}_find`,
    'users_userId_notes_find',
    'organizations_project_tasks_task_comments_find',
    'organizations_tasks_task_attachments_find',
    'admin_members_notification-preferences_find',
    'public_members_notification-preferences_find'
  ])
  for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,48}$/)

  await expect(
    open((one) => {
      for (const path of ['a/b', 'a_b']) one.use(path, memory(), { ...declared, methods: ['find'] })
    })
  ).rejects.toThrow("The tools of 'find' of 'a/b' and 'find' of 'a_b' are both called 'a_b_find'")
})

it('a list that is too large is named, with its largest tool', async () => {
  const Large = z.object(
    Object.fromEntries(
      Array.from({ length: 400 }, (_, index) => [`field${index}`, z.string().describe('x'.repeat(30))])
    )
  )
  const warnings = await listWarnings(() =>
    open((one) => {
      one.use('things', memory(), { ...declared, methods: ['find'] })
      one.use('large', memory(), {
        schema: schema(Large.extend({ id: z.int() })),
        access: access({ create: anyone }),
        methods: ['create']
      })
    })
  )

  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toMatch(
    /The tools of MCP have \d{5} bytes, and clients lose tools of more than 20000. The largest is 'large_create' with \d{5}/
  )
})

it('43 tools of eight services and users have less than 20 kB', async () => {
  const Task = z.object({
    id: z.int(),
    text: z.string().min(1).max(1000),
    done: z.boolean().default(false),
    priority: z.enum(['low', 'high']),
    dueAt: z.date(),
    ownerId: z.int()
  })
  const warnings = await listWarnings(() =>
    open(
      (one) => {
        for (let index = 0; index < 8; index++) {
          one.use(`tasks${index}`, memory(), {
            methods: ['find', 'get', 'create', 'patch', 'remove'],
            schema: schema(Task, { server: { ownerId: () => 1 } }),
            access: access({ all: anyone })
          })
        }
        one.use('users', memory(), { ...declared, methods: ['find', 'get', 'create'] })
      },
      { style: 'each' }
    )
  )

  expect(warnings).toEqual([])
})

it('with more than 40 there are three, which list, describe and call', async () => {
  const app = await open((one) => {
    for (let index = 0; index < 9; index++)
      one.use(`things${index}`, memory(), {
        ...declared,
        methods: ['find', 'get', 'create', 'patch', 'remove']
      })
  })
  const client = await connectCurrent(app)

  expect((await client.list()).map(({ name }) => name)).toEqual(['list', 'describe', 'call'])
  expect((await client.call('list')).text).toMatch(
    /^things0_find: Finds records of things0. For anyone.\nthings0_get/
  )

  const described = (await client.call('describe', { tool: 'things3_create' })).json

  expect(described.inputSchema.properties.data.properties).toEqual({
    name: { type: 'string' }
  })
  expect(
    (await client.call('call', { tool: 'things3_create', arguments: { data: { name: 'a' } } })).json
  ).toEqual({ id: 0, name: 'a' })
  expect((await client.call('call', { tool: 'things3_find' })).json).toEqual([{ id: 0, name: 'a' }])
  expect((await client.call('call', { tool: 'things3_remove', arguments: { id: 0 } })).text).toMatch(
    /consent/
  )
  await expect(client.call('call', { tool: 'thing3_find' })).rejects.toThrow("Unknown tool 'thing3_find'")
  await expect(client.call('things3_find')).rejects.toThrow("Unknown tool 'things3_find'")
})

it('knows services that come later', async () => {
  const app = await open((one) => void one.use('things', memory(), { ...declared, methods: ['find'] }))

  app.use('others', memory(), { ...declared, methods: ['find'] })
  expect((await (await connectCurrent(app)).list()).map(({ name }) => name)).toEqual([
    'things_find',
    'others_find'
  ])
})

it('is closed where the application is', async () => {
  const app = await createApp({ anonymous: true }, (one) => {
    one.configure(closed())
    configureNotes(one)
    one.use('plain', memory())
  })

  expect((await (await connectCurrent(app)).list()).map(({ name }) => name)).not.toContain('plain_find')
})

it('says what is missing without its package', async () => {
  vi.doMock('@modelcontextprotocol/server', () => {
    throw new Error('not there')
  })

  try {
    await expect(createApp()).rejects.toThrow(
      "'alula/mcp' needs the package '@modelcontextprotocol/server': npm install @modelcontextprotocol/server"
    )
  } finally {
    vi.doUnmock('@modelcontextprotocol/server')
  }
})

it('does not load its package without mcp()', async () => {
  const app = alula()

  app.use('things', memory(), declared)
  await app.setup()

  expect((await createHandler(app)(new Request(RESOURCE, { method: 'POST', body: '{}' }))).status).toBe(404)
})

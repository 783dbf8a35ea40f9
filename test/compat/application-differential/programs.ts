import { once } from 'node:events'
import type { Server } from 'node:http'
import { hooks } from '@feathersjs/hooks'
import { toUrl } from '../../support/server.ts'
import type { Library } from './libraries.ts'

const notes = { find: async () => [] }

/** By the anchor of a row of docs/compatibility.md: a program, and what it returns in Feathers and in alula. */
export const programs: {
  readonly [row: string]: readonly [program: (library: Library) => unknown, feathers: unknown, alula: unknown]
} = {
  'removed-placeholders': [
    async ({ create, routing }) => {
      const app = create().configure(routing()).use('users/:id', notes).use('users/:id/notes', notes)

      await app.unuse('users/:id')

      return app.lookup('users/1/notes') !== null
    },
    false,
    true
  ],
  mixins: [({ create }) => create().mixins.length, 2, 12],
  'removed-during-setup': [
    async ({ create }) => {
      const asked: string[] = []
      const app = create()

      app.defaultService = (path: string) => {
        asked.push(path)

        return { find: async () => [] }
      }
      app.use('first', { find: async () => [], setup: () => app.unuse('second') })
      app.use('second', { find: async () => [] })
      await app.setup()

      return asked
    },
    ['second'],
    []
  ],
  'lifecycle-hooks': [
    async ({ create }) => {
      const app = create()
      const seen: boolean[] = []

      app.hooks({
        setup: [
          async (context: any, next: () => unknown) => {
            seen.push(context.app === app)
            await next()
          }
        ]
      })
      await app.setup()

      return seen
    },
    [false],
    [true]
  ],
  'hooks-of-objects': [
    async ({ create }) => {
      const ran: string[] = []
      const note = (name: string) => async (_context: unknown, next: () => unknown) => {
        ran.push(name)
        await next()
      }
      const notes = { get: async () => ({}) }
      const app = create().use('notes', notes)

      hooks(notes, [note('of the object')])
      hooks(app.service('notes'), [note('of the service')])
      await app.service('notes').get(1)

      return ran
    },
    ['of the object', 'of the service'],
    ['of the service']
  ],
  'hooks-of-both': [
    async ({ create }) => {
      const ran: string[] = []
      const note = (name: string) => async (_context: unknown, next: () => unknown) => {
        ran.push(name)
        await next()
      }
      const app = create().use('notes', { get: async () => ({}) })

      app.service('notes').hooks([note('a')])
      hooks(app.service('notes'), [note('b')])
      await app.service('notes').get(1)

      return ran
    },
    ['a', 'b'],
    ['b', 'a']
  ],
  'hooks-inside': [
    ({ create }) => {
      const app = create().use('notes', { get: async () => ({}) })

      return [app.__hooks, app.registerHooks, app.service('notes').__hooks].map((value) => typeof value)
    },
    ['object', 'function', 'object'],
    ['undefined', 'undefined', 'undefined']
  ],
  'filter-converters': [
    ({ filterQuery }) => {
      const seen: unknown[] = []

      filterQuery({ a: 1 }, { filters: { $own: (value: unknown) => void seen.push(value) } })

      return seen.length
    },
    1,
    0
  ],
  'adapter-options': [
    ({ AdapterBase }) => {
      const base = new AdapterBase({ id: 'id' })

      return base.getOptions({}) === base.options
    },
    false,
    true
  ],
  'memory-inside': [
    ({ memory }) => {
      const service = memory()

      return ['getEntries', 'getQuery', '_uId'].map((name) => name in service)
    },
    [true, true, true],
    [false, false, false]
  ],
  'custom-services-in-express': [
    ({ create, express }) => {
      const app = express.default(create()).configure(express.rest())

      return attempt(() => app.use('notes', { greet: async () => 'hello' }, { methods: ['greet'] }).services)
    },
    'refused',
    'done'
  ],
  'services-with-set': [
    ({ create, express }) => {
      const app = express.default(create()).configure(express.rest())

      return attempt(() => app.use('notes', { find: async () => [], set: () => undefined }))
    },
    'refused',
    'done'
  ],
  'teardown-after-close': [
    async ({ create, express }) => {
      const app = express.default(create())
      const server = await open(app)

      await new Promise((resolve) => server.close(resolve))

      return await attempt(() => app.teardown())
    },
    'refused',
    'done'
  ],
  'error-functions': [
    async ({ create, express }) => {
      const app = express.default(create())
      const show = (error: unknown, _request: unknown, response: any) => response.json(error instanceof Error)

      app.use(fail(new Error('broken')), express.errorHandler({ json: show, logger: false }))

      return (await ask(app)).body
    },
    true,
    false
  ],
  'changed-errors': [
    async ({ create, express }) => {
      const app = express.default(create())
      const error: any = new Error('broken')

      app.use(fail(error), express.errorHandler({ logger: false }))
      await ask(app)

      return error.code
    },
    500,
    undefined
  ],
  'exposed-errors': [
    async ({ create, express }) => {
      const app = express.default(create())
      const error = Object.assign(new Error('shown'), { expose: true, status: 404 })

      app.use(fail(error), express.errorHandler({ logger: false }))

      return (await ask(app)).status
    },
    500,
    404
  ],
  'composed-middleware': [
    async ({ create, koa, getServiceOptions }) => {
      const app = koa.koa(create()).configure(koa.rest())

      app.use('notes', { find: async () => [] }, { koa: { before: [] } })
      await ask(app, '/notes')

      return typeof getServiceOptions(app.service('notes')).koa.composed
    },
    'function',
    'undefined'
  ]
}

const fail = (error: unknown) => (_request: unknown, _response: unknown, next: (error: unknown) => void) =>
  next(error)

async function attempt(run: () => unknown): Promise<string> {
  try {
    await run()

    return 'done'
  } catch {
    return 'refused'
  }
}

/** Sends a request to an application that listens for it alone. */
async function ask(app: any, path = '/'): Promise<{ status: number; body: any }> {
  const server = await open(app)
  const response = await fetch(`${toUrl(server)}${path}`, { headers: { Connection: 'close' } })
  const body = await response.json()

  await new Promise((resolve) => server.close(resolve))

  return { status: response.status, body }
}

async function open(app: any): Promise<Server> {
  const server = await app.listen(0, '127.0.0.1')

  if (!server.listening) await once(server, 'listening')

  return server
}

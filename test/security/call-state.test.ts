import { describe, expect, it } from 'vitest'
import { access, anyone, owner } from '../../src/access.ts'
import { AuthenticationService, authenticate, JWTStrategy } from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'

// What the library keeps of a call is on its context and its params, which hooks copy, replace and pass on to other services.

const SECRET = 'a secret of the tests that is long enough to be one'

/** Notes of two users, a service that is open to all, and the user that the params of calls bring. */
async function createApp() {
  const app: any = alula()
  const auth = new AuthenticationService(app, 'authentication', {
    secret: SECRET,
    service: 'users',
    entity: 'user',
    authStrategies: ['jwt', 'key']
  })

  auth.register('jwt', new JWTStrategy())
  auth.register('key', {
    authenticate: async () => ({ authentication: { strategy: 'key' }, user: { id: 1 } })
  })
  app.use('users', memory())
  app.use('authentication', auth)
  app.use('notes', memory({ multi: true }), {
    access: access({ all: owner('ownerId') })
  })
  app.use('news', memory(), { access: access({ create: anyone, find: () => ({ id: { $gt: 0 } }) }) })
  await app.service('users').create([{ name: 'Wren' }, { name: 'Robin' }], { adapter: { multi: true } })
  await app.service('notes').create([
    { id: 1, ownerId: 1 },
    { id: 2, ownerId: 2 }
  ])
  await app.service('news').create({ id: 1 })

  return app
}

const AS_WREN = { provider: 'rest', authentication: { strategy: 'key' } }

describe('the restriction of a call stays in force', () => {
  it.each<[string, (context: any) => unknown]>([
    ['when a hook returns a copy of the context', (context) => ({ ...context })],
    [
      'when a hook returns the context of another call',
      async ({ app, params, self, id }) => {
        const service = app.service('news')
        const other = await service.find({ ...params, query: {} }, service.find.createContext())

        delete other.result

        const others = { provider: 'rest', query: {} }

        return Object.assign(other, { self, arguments: id === undefined ? [others] : [id, others] })
      }
    ],
    [
      'when a hook replaces the params',
      (context) => {
        context.params = { provider: 'rest', query: {} }
      }
    ],
    [
      'when a hook copies names of the params alone',
      (context) => {
        context.params = Object.fromEntries(Object.entries(context.params))
      }
    ]
  ])('%s', async (_title, hook) => {
    const app = await createApp()

    app.service('notes').hooks({ before: { find: [hook], remove: [hook] } })

    expect(await app.service('notes').find(AS_WREN)).toEqual([{ id: 1, ownerId: 1 }])
    await expect(app.service('notes').remove(2, AS_WREN)).rejects.toMatchObject({ code: 404 })
  })
})

it('credentials that access has verified are verified again by a service that wants another strategy', async () => {
  const app = await createApp()

  app.use('vault', memory())
  app.service('vault').hooks({ before: { all: [authenticate('jwt')] } })
  app.service('notes').hooks({
    before: { find: [async ({ params }: any) => void (await app.service('vault').find({ ...params }))] }
  })

  await expect(app.service('notes').find(AS_WREN)).rejects.toMatchObject({ code: 401 })
})

it('params of the call that loads the user of a login open no other service, and no other method', async () => {
  const app = await createApp()
  const users: any = app.service('users')
  const seen: unknown[] = []

  app.use('letters', memory(), { access: access({ find: owner('ownerId') }) })
  app.use('people', memory(), { access: access({ get: owner('id') }) })
  await app.service('people').create({ id: 1 })

  const auth: any = app.service('authentication')

  app.get('authentication').service = 'people'
  app.service('people').hooks({
    after: {
      get: [
        async ({ params }: any) => {
          const { user, authentication, authenticated, ...passed } = params

          if (!params.provider) return

          for (const [path, method, args] of [
            ['letters', 'find', []],
            ['notes', 'get', [1]],
            ['people', 'find', []]
          ] as const) {
            const code = await (app.service(path) as any)
              [method](...args, { ...passed, query: {} })
              .then(() => 200)
              .catch((error: any) => error.code)

            seen.push(`${path}.${method} ${code}`)
          }
        }
      ]
    }
  })

  const { accessToken } = await auth.issueToken({ user: { id: 1 } })

  expect(users).toBeDefined()
  expect(
    await auth.authenticate({ strategy: 'jwt', accessToken }, { provider: 'rest' }, 'jwt')
  ).toMatchObject({
    user: { id: 1 }
  })
  expect(seen).toEqual(['letters.find 401', 'notes.get 401', 'people.find 401'])
})

import { describe, expect, it } from 'vitest'
import {
  AuthenticationBase,
  AuthenticationBaseStrategy,
  createStrategy,
  JWTStrategy,
  LocalStrategy
} from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { createApp, SECRET } from './app.ts'

describe('a strategy that extends AuthenticationBaseStrategy', () => {
  class Test extends AuthenticationBaseStrategy {
    async authenticate() {
      return { authentication: { strategy: this.name } }
    }
  }

  it('knows its name, the application and the service', async () => {
    const app: any = alula()
    const auth = new AuthenticationBase(app)
    const strategy = new Test()

    auth.register('test', strategy)

    expect(strategy.name).toBe('test')
    expect(strategy.app).toBe(app)
    expect(strategy.authentication).toBe(auth)
    expect(await auth.authenticate({ strategy: 'test' }, {}, 'test')).toEqual({
      authentication: { strategy: 'test' }
    })
  })

  it('has the configuration under its name, as it is now', () => {
    const app: any = alula()
    const auth = new AuthenticationBase(app)
    const strategy = new Test()

    app.set('authentication', { test: { a: 1 } })

    auth.register('test', strategy)
    expect(strategy.configuration).toEqual({ a: 1 })

    app.set('authentication', { test: { a: 2 } })
    expect(strategy.configuration).toEqual({ a: 2 })

    app.set('authentication', {})
    expect(strategy.configuration).toBeUndefined()
  })

  it('has the entity service that its configuration names, or else that of all', () => {
    const app = createApp({ settings: { own: { service: 'staff' }, none: { service: null } } })
    const service = app.service('authentication')
    const [own, usual, none] = [new Test(), new Test(), new Test()]

    app.use('staff', memory())
    service.register('own', own)
    service.register('usual', usual)
    service.register('none', none)

    expect(own.entityService).toBe(app.service('staff'))
    expect(usual.entityService).toBe(app.service('users'))
    expect(none.entityService).toBeNull()
  })

  it('has no configuration before it is registered, and says so', () => {
    expect(() => new Test().configuration).toThrow(
      'The strategy is not registered on an authentication service'
    )
  })

  it('may have members named like those that it is given', () => {
    class Named extends AuthenticationBaseStrategy {
      override name = 'mine'
    }

    expect(new Named().name).toBe('mine')
    expect(Object.keys(new Test())).toEqual([])
  })
})

describe('a strategy that createStrategy makes', () => {
  it('gets the application, the service and its name', () => {
    const app: any = alula()
    const auth = new AuthenticationBase(app)
    let seen: any

    auth.register(
      'test',
      createStrategy((dependencies) => {
        seen = dependencies

        return {}
      })
    )

    expect(Object.keys(seen).sort()).toEqual(['app', 'auth', 'name'])
    expect(seen.app).toBe(app)
    expect(seen.auth).toBe(auth)
    expect(seen.name).toBe('test')
  })

  it('logs in and finds its credentials', async () => {
    const clients = new Map([['k1', { id: 1 }]])
    const app = createApp({
      settings: { entity: null, secret: SECRET },
      strategies: {
        apiKey: createStrategy(({ name }) => ({
          parse: async ({ headers }) =>
            headers['x-api-key'] ? { strategy: name, key: headers['x-api-key'] } : null,
          authenticate: async ({ key }) => ({ authentication: { strategy: name }, client: clients.get(key) })
        }))
      }
    })
    const service = app.service('authentication')
    const found = await service.parse({ headers: { 'x-api-key': 'k1' } }, undefined, 'apiKey')

    expect(found).toEqual({ strategy: 'apiKey', key: 'k1' })
    expect(await service.create(found)).toMatchObject({ client: { id: 1 }, accessToken: expect.any(String) })
    expect(await service.parse({ headers: {} }, undefined, 'apiKey')).toBeNull()
  })

  it('has its configuration checked, at registration and later', () => {
    const app: any = alula()
    const auth = new AuthenticationBase(app, 'authentication', { test: { size: 1 } })

    auth.register(
      'test',
      createStrategy(({ auth, name }) => ({
        verifyConfiguration: () => {
          if (auth.configuration[name]?.size !== 1) throw new Error('Wrong size')
        }
      }))
    )

    expect(() => app.set('authentication', { test: { size: 2 } })).toThrow('Wrong size')
    expect(app.get('authentication')).toEqual({ test: { size: 1 } })
  })

  it('takes part in everything else that a strategy can do', async () => {
    const auth = new AuthenticationBase(alula())
    const calls: string[] = []

    auth.register(
      'test',
      createStrategy(() => ({
        setup: async () => void calls.push('setup'),
        teardown: async () => void calls.push('teardown'),
        handleConnection: async (event) => void calls.push(event)
      }))
    )

    await auth.setup()
    await auth.handleConnection('login', {})
    await auth.teardown()

    expect(calls).toEqual(['setup', 'login', 'teardown'])
  })
})

it.each([
  ['JWTStrategy', JWTStrategy],
  ['LocalStrategy', LocalStrategy]
])('%s refuses the service of another package', (_name, Strategy) => {
  const strategy = new Strategy()

  strategy.setName('test')
  strategy.setAuthentication({ configuration: {} } as any)

  expect(() => strategy.verifyConfiguration()).toThrow(
    "The 'test' strategy needs the AuthenticationService of the package that it comes from"
  )
})

describe.each<[string, () => any]>([
  ['a class', () => new JWTStrategy()],
  ['a class without members of its own', () => new (class extends AuthenticationBaseStrategy {})()],
  ['createStrategy', () => createStrategy(({ name }) => ({ authenticate: async () => ({ name }) as any }))]
])('an instance of a strategy, made by %s,', (_title, create) => {
  it('can not have a second name', () => {
    const auth = new AuthenticationBase(alula())
    const strategy = create()

    auth.register('first', strategy)

    for (const other of [auth, new AuthenticationBase(alula())]) {
      expect(() => other.register('second', strategy)).toThrow(
        "The strategy 'second' is registered as 'first' already: each name needs one of its own"
      )
      expect(other.strategyNames).not.toContain('second')
    }

    expect(auth.getStrategy('first')).toBe(strategy)
    if ('name' in strategy) expect(strategy.name).toBe('first')
  })

  it('may have the same name once more', () => {
    const auth = new AuthenticationBase(alula())
    const strategy = create()

    auth.register('first', strategy)
    auth.register('first', strategy)

    expect(auth.strategyNames).toEqual(['first'])
  })
})

describe('what is registered', () => {
  it.each<[string, unknown]>([
    ['a class', JWTStrategy],
    ['a function', () => ({})],
    ['undefined', undefined],
    ['null', null],
    ['a text', 'jwt'],
    ['a number', 5]
  ])('can not be %s', (_title, strategy) => {
    const auth = new AuthenticationBase(alula())

    expect(() => auth.register('mine', strategy as any)).toThrow(
      "Invalid strategy 'mine': expected a name and a strategy object. Did you forget 'new'?"
    )
    expect(auth.strategyNames).toEqual([])
  })

  it.each([[''], [undefined], [null], [5], [{}], [Symbol('x')]])('can not have the name %s', (name: any) => {
    expect(() => new AuthenticationBase(alula()).register(name, {})).toThrow(
      `Invalid strategy '${String(name)}': expected a name and a strategy object`
    )
  })
})

it.each([[undefined], [null], [{}], ['x']])('createStrategy needs a function, and not %j', (create: any) => {
  expect(() => createStrategy(create)).toThrow('createStrategy expects a function that returns a strategy')
})

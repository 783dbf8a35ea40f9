import { describe, expect, it } from 'vitest'
import { protect } from '../../src/authentication.ts'
import express, { errorHandler, rest } from '../../src/express.ts'
import { GUARD } from '../../src/hooks.ts'
import { alula } from '../../src/index.ts'
import { type MemoryOptions, memory } from '../../src/memory.ts'
import { serve } from '../support/server.ts'
import { forFind, type Register, STORE } from './support/protected-fields.ts'

// What a client could do with a query: find out, bit by bit, a field that it is not shown.

const HIDDEN = /hash-[ab]|"(?:one|two)"|"n[12]"|password/

const METHODS = [
  'find',
  'get',
  'create',
  'update',
  'patch',
  'remove',
  'patch multi',
  'remove multi',
  'search'
] as const

/** Users of whom a field is protected, on a port. `send` calls a method with a query string. */
async function open(register: Register, options: MemoryOptions = {}) {
  const app: any = express(alula()).configure(rest())
  const users = memory({ store: STORE, multi: true, operators: ['$not', '$nor'], ...options })

  // As an adapter would that does more than the others, and sees every query that comes so far.
  const reached: any[] = []

  app.use('users', Object.assign(users, { search: async (_data: unknown, params: any) => params.query }), {
    methods: ['find', 'get', 'create', 'update', 'patch', 'remove', 'search']
  })
  register(app)
  app.service('users').hooks({
    before: { all: [({ params }: any) => void (params.provider && reached.push(params.query))] }
  })
  app.use(errorHandler({ logger: false }))

  const url = await serve(app)

  async function send(query: string, method: (typeof METHODS)[number] = 'find') {
    const [name, isMulti] = method.split(' ')
    const id = ['get', 'update', 'patch', 'remove'].includes(name as string) && !isMulti ? '/1' : ''
    const verbs: Record<string, string> = {
      find: 'GET',
      get: 'GET',
      update: 'PUT',
      patch: 'PATCH',
      remove: 'DELETE'
    }
    const verb = verbs[name as string] ?? 'POST'
    const response = await fetch(`${url}/users${id}?${query}`, {
      method: verb,
      headers: {
        Connection: 'close',
        'Content-Type': 'application/json',
        ...(name === 'search' && { 'X-Service-Method': 'search' })
      },
      ...(['POST', 'PUT', 'PATCH'].includes(verb) && { body: '{"touched":true}' })
    })
    const text = await response.text()

    return { status: response.status, text, body: text === '' ? undefined : JSON.parse(text) }
  }

  return { app, users, reached, send }
}

const QUERIES = [
  'password=hash-a',
  'password[$gt]=a',
  'password[$gte]=a',
  'password[$lt]=z',
  'password[$lte]=z',
  'password[$ne]=x',
  'password[$in]=hash-a',
  'password[$in][]=hash-a',
  'password[$in][0]=hash-a&password[$in][1]=x',
  'password[$nin][]=x',
  'password[$not][$eq]=x',
  'password[$not][$in][]=x',
  'password[]=hash-a',
  'password=x&password=y',
  'password=',
  'password',
  'password[a]=b',
  'password.length[$gt]=1',
  'password.0=h',
  'email=ann&password[$gt]=a',
  'email[password]=x',
  '$or[0][password][$gt]=a',
  '$or[0][email]=ann&$or[1][password][$gt]=a',
  '$or[][password]=x',
  '$or[password]=x',
  '$or[0][0][password]=x',
  '$and[0][password][$gt]=a',
  '$and[0][$or][0][password]=x',
  '$and[0][$and][0][$and][0][password][$in][]=x',
  '$nor[0][password]=x',
  '$not[password]=x',
  '$not[$or][0][password]=x',
  '$or[0][email][$not][password]=x',
  '$sort[password]=1',
  '$sort[password]=-1',
  '$sort[email]=1&$sort[password]=1',
  '$sort[]=password',
  '$sort=password',
  '$sort=-password',
  '$sort=%2Bpassword',
  '$sort=email,password',
  '$sort=email%20password',
  '$sort[0][]=password&$sort[0][]=asc',
  '$sort[0][password]=1',
  '$sort[0][column]=password',
  '$select=password',
  '$select[]=password',
  '$select[]=email&$select[]=password',
  '$select[0]=password',
  '$select[5]=password',
  '$select=email,password',
  '$select[password]=1',
  '$select[0][password]=1',
  '$select[]=password.length',
  '$select=users.password',
  '$select=password%20as%20email',
  'Password[$gt]=a',
  'PASSWORD=x',
  'pAsSwOrD[$in][]=x',
  '$sort[Password]=1',
  '$select[]=PASSWORD',
  '$or[0][PASSWORD]=x',
  'users.password[$gt]=a',
  'public.users.password=x',
  'Users.Password=x',
  'users[password]=x',
  '$sort[users.password]=1',
  '$sort[users][password]=1',
  '$select[]=users.password',
  '$or[0][users.password]=x',
  'p%61ssword=x',
  '%70assword[%24gt]=a',
  '$or%5B0%5D%5Bpassword%5D=x',
  '$unknown[password]=x',
  '$limit[password]=1',
  '$populate[0][password]=x'
]

/** One of each kind, for what the full list would only repeat. */
const SAMPLE = ['password[$gt]=a', '$sort[users.Password]=1', '$select=password', '$or[0][password]=x']

describe.each([
  ['for find alone, after', forFind],
  [
    'for find alone, around',
    (app) => app.service('users').hooks({ around: { find: [protect('password')] } })
  ],
  ['for create alone', (app) => app.service('users').hooks({ after: { create: [protect('password')] } })],
  ['for all', (app) => app.service('users').hooks({ after: { all: [protect('email2', 'password')] } })],
  ['around, as a list', (app) => app.service('users').hooks([protect('password')])],
  ['around, by method', (app) => app.service('users').hooks({ find: [protect('password')] })],
  ['for the application', (app) => app.hooks({ after: { all: [protect('password')] } })],
  ['for the application, around find', (app) => app.hooks({ around: { find: [protect('password')] } })],
  [
    'next to others',
    (app) => app.service('users').hooks({ after: { find: [protect('other'), protect('password')] } })
  ]
] as [string, Register][])('a field that is protected %s', (_title, register) => {
  it('cannot be queried by any method', async () => {
    const { send, reached, users } = await open(register)

    for (const method of METHODS) {
      for (const query of method === 'find' && register === forFind ? QUERIES : SAMPLE) {
        const { status, body } = await send(query, method)

        expect(status, `${method} ${query}`).toBe(400)
        expect(body.message, `${method} ${query}`).toMatch(/cannot be queried$/)
      }
    }

    expect(reached).toEqual([])
    expect(users.store).toEqual(STORE)

    // Other fields can.
    expect((await send('email=ann&$sort[email]=1&$select[]=email')).body).toEqual([{ id: 1, email: 'ann' }])
    expect((await send('email=ann', 'get')).status).toBe(200)
  })
})

it('a hook that is registered later protects too', async () => {
  const { app, send } = await open(() => undefined)

  expect((await send('password=hash-a')).body).toHaveLength(1)
  forFind(app)
  expect((await send('password=hash-a')).status).toBe(400)
})

it('the same field of another service is no secret', async () => {
  const { app } = await open(forFind)

  app.use('rooms', memory({ store: { 1: { id: 1, password: 'written on the transport' } } }))

  const params = { provider: 'rest', query: { password: 'written on the transport' } }

  expect(await app.service('rooms').find(params)).toHaveLength(1)
})

it('calls from inside may query the field', async () => {
  const { app } = await open(forFind)
  const users = app.service('users')

  expect(await users.find({ query: { password: { $gt: 'hash-a' } } })).toEqual([STORE[2]])
  expect(await users.find({ query: { $sort: { password: -1 }, $select: ['password'] } })).toEqual([
    { id: 2, password: 'hash-b' },
    { id: 1, password: 'hash-a' }
  ])
  expect(await users.get(1, { query: { password: 'hash-a' } })).toEqual(STORE[1])
})

it('the refusal says which name it is about, and not what was compared with it', async () => {
  const { send } = await open(forFind)
  const { body } = await send('$or[0][users.Password][$gt]=guess')

  expect(body).toEqual({
    name: 'BadRequest',
    message: "Invalid query: 'users.Password' cannot be queried",
    code: 400,
    className: 'bad-request'
  })
})

it('the data of a call may hold the field', async () => {
  const { app, send } = await open((app) =>
    app.service('users').hooks({ after: { all: [protect('password')] } })
  )
  const created = await app.service('users').create({ password: 'hash-c' }, { provider: 'rest' })

  expect(created).toEqual({ id: 0 })
  expect((await send('', 'find')).text).not.toMatch(/password|hash/)
})

describe('a protected field inside of another', () => {
  const register: Register = (app) =>
    app.service('users').hooks({
      after: { all: [protect('password', 'profile.secret', 'profile.inner.code', 'cards.number')] }
    })

  it('cannot be queried, and nor can what it is in', async () => {
    const { send, reached } = await open(register)

    for (const query of [
      'profile.secret=one',
      'profile.secret[$gt]=a',
      'profile[secret]=one',
      'profile[secret][$gt]=a',
      'PROFILE.Secret[$gt]=a',
      'users.profile.secret=one',
      'users[profile][secret]=one',
      'users[profile.secret]=one',
      'profile.secret.length=3',
      '$or[0][profile.secret]=one',
      '$or[0][profile][secret]=one',
      '$sort[profile.secret]=1',
      '$sort[profile][secret]=1',
      '$sort=profile.secret',
      '$sort[]=-profile.secret',
      '$select=profile.secret',
      '$select[]=profile.secret',
      '$select[]=users.profile.secret',
      '$select[profile][secret]=1',
      '$select[profile]=secret',
      // Comparing what it is in is comparing it.
      'profile[$gt]=a',
      'profile=x',
      'profile[$in][]=x',
      'profile[$ne]=x',
      'PROFILE[$gt]=a',
      '$or[0][profile]=x',
      '$nor[0][profile]=x',
      '$sort[profile]=1',
      '$sort=profile',
      '$sort[]=Profile',
      'profile.inner.code=1',
      'profile.inner[$gt]=1',
      'profile[inner]=1',
      '$sort[profile.inner]=-1',
      'cards.number=n1',
      'cards[$in][]=x',
      '$sort[cards]=1'
    ]) {
      for (const method of ['find', 'get', 'remove multi'] as const) {
        const { status, body } = await send(query, method)

        expect(status, `${method} ${query}`).toBe(400)
        expect(body.message, `${method} ${query}`).toMatch(/cannot be queried$/)
      }
    }

    expect(reached).toEqual([])
  })

  it('is left out of what is selected around it', async () => {
    const { send } = await open(register)

    expect((await send('email=ann&$select=profile')).body).toEqual([
      { id: 1, profile: { name: 'Ann', inner: {} } }
    ])
    expect((await send('$select[]=profile', 'get')).body).toEqual({
      id: 1,
      profile: { name: 'Ann', inner: {} }
    })
    expect((await send('$select[]=profile.inner', 'get')).body).toEqual({ id: 1, profile: { inner: {} } })
    expect((await send('$select[]=cards', 'get')).body).toEqual({ id: 1, cards: [{ label: 'l' }] })
    expect((await send('profile.name=Ann&$sort[profile.name]=1&$select[]=profile.name')).body).toEqual([
      { id: 1, profile: { name: 'Ann' } }
    ])
  })

  it('is in no answer of any method', async () => {
    for (const options of [{}, { paginate: { default: 5, max: 5 } }]) {
      const { send } = await open(register, options)

      for (const method of [
        'find',
        'get',
        'update',
        'patch',
        'patch multi',
        'remove',
        'remove multi'
      ] as const) {
        const { status, text } = await send('', method)

        expect(status, method).toBe(200)
        expect(text, method).not.toMatch(HIDDEN)
      }
    }
  })
})

it('a name of many parts does not hold up the server, and does not lead around the guard', () => {
  const guard = (protect('password', 'profile.secret') as any)[GUARD]
  const ask = (name: string) => guard({ params: { provider: 'rest', query: { [name]: 1 } } })
  // The time grew with the square: this would take minutes.
  const long = 'a.'.repeat(500_000)

  expect(() => ask(`${long}b`)).not.toThrow()
  expect(() => ask(`${long}secret`)).not.toThrow()
  expect(() => ask(`${long}profile`)).toThrow('cannot be queried')
  expect(() => ask(`${long}profile.secret.b`)).toThrow('cannot be queried')
})

it('many names below a name of many parts do not hold up the server, and do not lead around the guard', () => {
  const guard = (protect('password', 'profile.secret') as any)[GUARD]
  const ask = (query: object) => guard({ params: { provider: 'rest', query } })
  const many = 50_000
  const long = 'a.'.repeat(many)
  const below = Object.fromEntries(Array.from({ length: many }, (_, n) => [`k${n}`, {}]))

  // The time grew with the product: these would take minutes.
  expect(() => ask({ [`${long}b`]: { $sort: 'b,'.repeat(many) } })).not.toThrow()
  expect(() => ask({ [`${long}b`]: below })).not.toThrow()
  expect(() => ask({ [`${long}b`]: { ...below, 'c.password': 1 } })).toThrow('cannot be queried')
  expect(() => ask({ [`${long}profile.0`]: { 1: { ...below, secret: 1 } } })).toThrow('cannot be queried')
  expect(() => ask({ [`${long}profile`]: { $sort: `${'b,'.repeat(many)}-secret` } })).toThrow(
    'cannot be queried'
  )
})

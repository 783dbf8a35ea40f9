import { expect, it, vi } from 'vitest'
import { BcryptHasher } from '../../src/authentication.ts'
import express, { errorHandler, rest } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { CountingHasher, configureLogin } from '../support/login.ts'
import { serve } from '../support/server.ts'

// What a client could do with a login: get in without a password, find out who has an account, stop the server.

const PASSWORD = 'open sesame'
const KNOWN = { strategy: 'local', email: 'ann@example.com', password: PASSWORD }
const INVALID = {
  name: 'NotAuthenticated',
  message: 'Invalid login',
  code: 401,
  className: 'not-authenticated'
}

/** An application on a port, with one user who can log in and some who cannot. Counts what reaches the users service. */
async function open(settings: { [option: string]: any } = {}, bodyLimit = 100_000) {
  const app: any = express(alula()).configure(rest({ bodyLimit }))
  const hasher = new CountingHasher()
  const { local, ...others } = settings
  const authentication = configureLogin(app, {
    settings: { ...others, local: { hasher, ...local } },
    users: {
      operators: ['$not', '$nor'],
      store: {
        1: { id: 1, email: KNOWN.email, password: `hash of ${PASSWORD}`, role: 'user' },
        2: { id: 2, email: 'no-password@example.com', role: 'admin' },
        3: { id: 3, email: 'null@example.com', password: null },
        4: { id: 4, email: 'object@example.com', password: { toString: 'x' } },
        5: { id: 5, email: '', password: 'hash of ' }
      }
    }
  })
  const queries: { method: string; query: any; provider: unknown }[] = []

  app.service('users').hooks({
    before: {
      all: [
        ({ method, params }: any) => {
          queries.push({ method, query: params.query, provider: params.provider })
        }
      ]
    }
  })

  app.use(errorHandler({ logger: false }))

  const url = await serve(app)

  const send = (method: string, path: string, body: unknown) =>
    fetch(`${url}${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', Connection: 'close' },
      body: typeof body === 'string' ? body : JSON.stringify(body)
    })

  async function logIn(body: unknown, query = '') {
    const response = await send('POST', `/authentication${query}`, body)

    return { status: response.status, headers: response.headers, body: (await response.json()) as any }
  }

  return { app, authentication, hasher, queries, send, logIn }
}

const TYPES: { [title: string]: unknown } = {
  'an operator object': { $ne: null },
  '$gt of nothing': { $gt: '' },
  $in: { $in: [KNOWN.email] },
  $regex: { $regex: '.*' },
  $where: { $where: 'true' },
  $not: { $not: { $eq: 'x' } },
  'an empty object': {},
  'an object like a text': { toString: KNOWN.email, length: 5 },
  'an empty array': [],
  'an array with the right value': [KNOWN.email],
  'an array with the password': [PASSWORD],
  'an array of operators': [{ $ne: null }],
  'a nested array': [[KNOWN.email]],
  'a number': 1,
  zero: 0,
  null: null,
  true: true,
  false: false,
  'an empty text': '',
  'a megabyte': 'a'.repeat(1_000_000)
}

it('without a strategy that may be used there is no login', async () => {
  const { logIn, queries, hasher } = await open()
  const names = [
    'jwt2',
    'LOCAL',
    'local ',
    ' local',
    'Jwt',
    'oauth',
    '',
    '\0',
    '__proto__',
    'constructor',
    'toString'
  ]
  const others: unknown[] = [
    'hasOwnProperty',
    null,
    0,
    1,
    true,
    false,
    [],
    ['local'],
    [['local']],
    {},
    { toString: 'local' }
  ]

  for (const strategy of [undefined, ...names, ...others, 'l'.repeat(50_000)]) {
    const { status, headers, body } = await logIn({ ...KNOWN, strategy })

    expect(status, JSON.stringify(strategy)).toBe(401)
    expect(headers.get('www-authenticate')).toBe('Bearer')
    expect(body.message).toMatch(/^Invalid authentication information/)
    expect(JSON.stringify(body)).not.toContain(PASSWORD)
  }

  expect(hasher.comparisons).toBe(0)
  expect(queries).toEqual([])
  expect((await logIn(KNOWN)).status).toBe(201)
})

it('a strategy that is registered and not allowed cannot be used for a login', async () => {
  const { logIn } = await open({ authStrategies: ['jwt'] })

  expect((await logIn(KNOWN)).status).toBe(401)
})

it('what allows a strategy does not come from the data', async () => {
  const { logIn } = await open({ authStrategies: ['jwt'] })

  for (const more of [
    { authStrategies: ['local'] },
    { params: { authStrategies: ['local'] } },
    { authenticated: true, provider: '', user: { id: 1 } }
  ]) {
    expect((await logIn({ ...KNOWN, ...more }, '?authStrategies=local')).status).toBe(401)
  }
})

it('data of another shape is no login', async () => {
  const { logIn, queries } = await open()

  for (const [body, status] of [
    ['', 401],
    ['{}', 401],
    ['[]', 401],
    [JSON.stringify([KNOWN]), 401],
    [JSON.stringify([KNOWN, KNOWN]), 401],
    [JSON.stringify({ data: KNOWN }), 401],
    [JSON.stringify({ '': KNOWN }), 401],
    [`{"__proto__":${JSON.stringify(KNOWN)}}`, 400],
    ['null', 400],
    ['"local"', 400],
    ['5', 400],
    ['{', 400]
  ] as const) {
    expect((await logIn(body)).status, body).toBe(status)
  }

  expect(queries).toEqual([])
})

it.each(Object.entries(TYPES))('%s is neither an e-mail nor a password', async (_title, value) => {
  const { logIn, queries, hasher } = await open({}, 10_000_000)

  for (const changes of [{ email: value }, { password: value }, { email: value, password: value }]) {
    const before = hasher.comparisons
    const { status, body } = await logIn({ ...KNOWN, ...changes })

    expect(status).toBe(401)
    expect(body).toEqual(INVALID)
    // It takes as long as any other login that fails.
    expect(hasher.comparisons - before).toBe(1)
  }

  expect(queries).toEqual([])
})

it('only texts reach the users service, in a query that is ours', async () => {
  const { logIn, queries } = await open()
  const texts = [
    '{"$ne":null}',
    '[object Object]',
    '$ne',
    "' OR 1=1 --",
    '*',
    '%',
    '.*',
    '__proto__',
    KNOWN.email
  ]

  for (const email of texts) {
    const { status } = await logIn({
      ...KNOWN,
      email,
      $limit: 5,
      'email[$ne]': 'x',
      $or: [{ email: KNOWN.email }]
    })

    expect(status).toBe(email === KNOWN.email ? 201 : 401)
  }

  expect(queries.filter(({ method }) => method === 'find')).toEqual(
    texts.map((email) => ({ method: 'find', query: { $limit: 1, email }, provider: undefined }))
  )
})

it('fields of the data that are not e-mail and password mean nothing', async () => {
  const { logIn, queries } = await open()
  const { body } = await logIn({
    ...KNOWN,
    id: 2,
    user: { id: 2 },
    sub: '2',
    payload: { sub: '2' },
    accessToken: 'x'
  })

  expect(body.user.id).toBe(1)
  expect(body.authentication.payload.sub).toBe('1')
  expect(body.accessToken).not.toBe('x')
  expect(queries[0]?.query).toEqual({ $limit: 1, email: KNOWN.email })
})

/** What two answers to the same request have in common. */
const toComparable = (headers: Headers) => [...headers].filter(([name]) => name !== 'date')

const FAILURES: { [title: string]: object } = {
  'a wrong password': { password: 'wrong' },
  'no password': { password: undefined },
  'a password of another type': { password: { $ne: null } },
  'an unknown user': { email: 'nobody@example.com' },
  'an unknown user without a password': { email: 'nobody@example.com', password: undefined },
  'no e-mail': { email: undefined },
  'an e-mail of another type': { email: { $ne: null } },
  'a user without a password': { email: 'no-password@example.com' },
  'a user whose password is null': { email: 'null@example.com' },
  'a user whose password is an object': { email: 'object@example.com' },
  'a password of 73 bytes': { password: 'a'.repeat(73) },
  'a password of 73 bytes in 25 letters': { password: `${'€'.repeat(24)}a` },
  'a password with a NUL': { password: `${PASSWORD}\0` },
  'an e-mail with a NUL': { email: `${KNOWN.email}\0` },
  'a password with spaces': { password: ` ${PASSWORD} ` },
  'a password in another case': { password: PASSWORD.toUpperCase() },
  'a long password': { password: 'a'.repeat(50_000) },
  'a lone surrogate': { password: '\ud800' },
  'the hash': { password: `hash of ${PASSWORD}` }
}

it.each(Object.entries(FAILURES))(
  '%s is answered as all of them, after one comparison',
  async (_title, changes) => {
    const { logIn, hasher } = await open()
    const { status, headers, body } = await logIn({ ...KNOWN, ...changes })

    expect({ status, body }).toEqual({ status: 401, body: INVALID })
    expect(hasher.comparisons).toBe(1)

    const { headers: others } = await logIn({ ...KNOWN, password: 'another wrong one' })

    expect(toComparable(headers)).toEqual(toComparable(others))
    expect((await logIn(KNOWN)).status).toBe(201)
  }
)

it.each(Object.entries(FAILURES))('with bcrypt, too: %s', async (_title, changes) => {
  const { app, logIn } = await open({ local: { hasher: undefined, hashSize: 4 } })
  const compare = vi.spyOn(BcryptHasher.prototype, 'compare')

  try {
    await app.service('users').patch(1, { password: PASSWORD })

    expect(await logIn({ ...KNOWN, ...changes })).toMatchObject({ status: 401, body: INVALID })
    expect(compare).toHaveBeenCalledTimes(1)
    expect((await logIn(KNOWN)).status).toBe(201)
  } finally {
    compare.mockRestore()
  }
})

it('who is not active is answered like who does not exist, and after the comparison', async () => {
  const { logIn, hasher } = await open({ isActive: ({ id }: any) => id !== 1 })

  for (const password of [PASSWORD, 'wrong']) {
    const before = hasher.comparisons

    expect(await logIn({ ...KNOWN, password })).toMatchObject({ status: 401, body: INVALID })
    expect(hasher.comparisons - before).toBe(1)
  }
})

it('a password that bcrypt would cut is refused when it is set, and changes nothing', async () => {
  const { app, send, logIn } = await open({ local: { hasher: undefined, hashSize: 4 } })
  await app.service('users').patch(1, { password: 'a'.repeat(72) })

  const { password: stored } = await app.service('users').get(1)
  const passwords = [
    'a'.repeat(73),
    '€'.repeat(25),
    '😀'.repeat(19),
    'a\0b',
    '',
    5,
    null,
    true,
    [],
    ['a'],
    {},
    { $ne: 1 }
  ]

  for (const password of [...passwords, 'a'.repeat(90_000)]) {
    for (const [method, path] of [
      ['POST', '/users'],
      ['PATCH', '/users/1']
    ] as const) {
      const response = await send(method, path, { email: 'x', password })
      const text = await response.text()

      expect(response.status, JSON.stringify(password)).toBe(400)
      if (typeof password === 'string' && password.length > 4) expect(text).not.toContain(password)
    }
  }

  expect((await app.service('users').get(1)).password).toBe(stored)
  expect((await logIn({ ...KNOWN, password: 'a'.repeat(73) })).status).toBe(401)
  expect((await logIn({ ...KNOWN, password: 'a'.repeat(71) })).status).toBe(401)
  expect((await logIn({ ...KNOWN, password: 'a'.repeat(72) })).status).toBe(201)
})

it('neither the query of a login nor its answer shows what is protected', async () => {
  const { logIn, queries } = await open()
  const all = [
    '$select=password',
    '$select[]=password',
    '$select[]=email&$select[]=password',
    '$sort[password]=1'
  ]
  const filters = [
    'password[$gt]=a',
    '$or[0][password]=x',
    'users.password=x',
    'Password=x',
    '$not[password]=x'
  ]

  for (const query of [...all, ...filters]) {
    const { status, body } = await logIn(KNOWN, `?${query}`)

    expect(status, query).toBe(400)
    expect(JSON.stringify(body)).not.toContain('hash of')
    expect(body.accessToken).toBeUndefined()
    // Who does not know the password does not even hear that.
    expect(await logIn({ ...KNOWN, password: 'wrong' }, `?${query}`)).toMatchObject({
      status: 401,
      body: INVALID
    })
  }

  for (const query of ['$select=id', '$select[]=email', 'email[$ne]=x', '$limit=0', '$skip=9', 'role=user']) {
    const { status, body } = await logIn(KNOWN, `?${query}`)

    expect(status, query).toBe(201)
    expect(body.user.id).toBe(1)
    expect(JSON.stringify(body)).not.toMatch(/hash of|password/)
  }

  // The user is looked for by the e-mail alone.
  for (const { method, query } of queries) {
    if (method === 'find') expect(query).toEqual({ $limit: 1, email: KNOWN.email })
  }
})

it('the query of a login does not choose the user', async () => {
  const { logIn } = await open()

  for (const query of [
    'id=2',
    'email=no-password@example.com',
    `email[$ne]=${KNOWN.email}`,
    'role=admin',
    '$or[0][id]=2'
  ]) {
    const { status, body } = await logIn(KNOWN, `?${query}`)

    expect(status, query).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    expect(body.accessToken).toBeUndefined()
  }
})

it('a malformed query of a login is a 4xx, and tells nothing without the password', async () => {
  const { logIn } = await open()

  for (const query of ['$where=1', '$limit=x', '$or=x', 'email[$regex]=.', '$sort=id', '$select[a]=b']) {
    expect((await logIn(KNOWN, `?${query}`)).status, query).toBe(400)

    for (const changes of [{ password: 'wrong' }, { email: 'nobody@example.com' }]) {
      expect(await logIn({ ...KNOWN, ...changes }, `?${query}`)).toMatchObject({ status: 401, body: INVALID })
    }
  }
})

it('errors of a login hold nothing that the client sent, and no setting', async () => {
  const { app, logIn } = await open()
  const sent = { email: 'sent-email', password: 'sent-password', accessToken: 'sent.access.token' }
  const { secret } = app.get('authentication')

  for (const strategy of ['local', 'jwt', 'sent-strategy', undefined]) {
    const { status, body } = await logIn({ strategy, ...sent }, '?sent-query=1')

    expect(status).toBe(401)
    expect(JSON.stringify(body)).not.toContain('sent')
    expect(JSON.stringify(body)).not.toContain(secret)
  }
})

it('no log line holds a password, a token or the secret', async () => {
  const lines: string[] = []
  const app: any = express(alula()).configure(rest())
  const write = vi
    .spyOn(process.stderr, 'write')
    .mockImplementation((text: any) => Boolean(lines.push(`${text}`)))
  const log = vi.spyOn(console, 'error').mockImplementation((...values) => void lines.push(values.join(' ')))
  const { default: createDebug } = await import('debug')
  const enabled = createDebug.disable()

  try {
    createDebug.enable('alula:*')
    configureLogin(app, { settings: { local: { hasher: new CountingHasher() } } })

    app.use(errorHandler())

    const url = await serve(app)
    const send = async (method: string, path: string, body?: object, token?: string) => {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          'Content-Type': 'application/json',
          Connection: 'close',
          ...(token && { Authorization: `Bearer ${token}` })
        },
        ...(body && { body: JSON.stringify(body) })
      })

      return (await response.json()) as any
    }

    app.on('login', () => {
      throw new Error('a listener failed')
    })
    await send('POST', '/users', { email: 'ann', password: 'secret-password' })

    const { accessToken } = await send('POST', '/authentication', {
      strategy: 'local',
      email: 'ann',
      password: 'secret-password'
    })

    await send('POST', '/authentication', { strategy: 'local', email: 'ann', password: 'wrong-password' })
    await send('GET', '/notes', undefined, `${accessToken}x`)
    await send('DELETE', `/authentication/${accessToken}`, undefined, accessToken)

    const text = lines.join('\n')

    expect(text).toContain('Authenticating with strategy local')
    expect(text).toContain('a listener failed')
    for (const hidden of [
      'secret-password',
      'wrong-password',
      accessToken,
      app.get('authentication').secret
    ]) {
      expect(text).not.toContain(hidden)
    }
  } finally {
    createDebug.disable()
    if (enabled) createDebug.enable(enabled)
    write.mockRestore()
    log.mockRestore()
  }
})

it('a hasher that fails is an error of the server, and lets nobody in', async () => {
  const failing = {
    hash: async () => 'hash',
    compare: async () => {
      throw new Error(`cannot compare ${PASSWORD}`)
    }
  }
  const { logIn } = await open({ local: { hasher: failing } })

  vi.stubEnv('NODE_ENV', 'production')

  try {
    for (const changes of [{}, { password: 'wrong' }, { email: 'nobody@example.com' }, { email: null }]) {
      const { status, body } = await logIn({ ...KNOWN, ...changes })

      expect(status).toBe(500)
      expect(JSON.stringify(body)).not.toContain(PASSWORD)
    }
  } finally {
    vi.unstubAllEnvs()
  }
})

it('a password that is changed while a login runs ends that login', async () => {
  const { app, logIn, authentication } = await open()
  const local = authentication.getStrategy('local')
  const compare = local.comparePassword.bind(local)

  local.comparePassword = async (...args: unknown[]) => {
    const entity = await compare(...args)

    await app.service('users').patch(1, { password: 'changed' })

    return entity
  }

  const { status, body } = await logIn(KNOWN)

  expect(status).toBe(401)
  expect(body.accessToken).toBeUndefined()
})

it('a user that is removed while a login runs does not get in', async () => {
  const { app, logIn, authentication } = await open()
  const local = authentication.getStrategy('local')
  const compare = local.comparePassword.bind(local)

  local.comparePassword = async (...args: unknown[]) => {
    const entity = await compare(...args)

    await app.service('users').remove(1)

    return entity
  }

  const { status, body } = await logIn(KNOWN)

  expect(status).toBeGreaterThanOrEqual(400)
  expect(status).toBeLessThan(500)
  expect(body.accessToken).toBeUndefined()
})

it('passwords that are too many at once are a 503, and the next ones are served again', async () => {
  const hasher = new BcryptHasher(4)
  const hash = await hasher.hash(PASSWORD)
  const results = await Promise.allSettled(Array.from({ length: 1100 }, () => hasher.compare(PASSWORD, hash)))
  const refused = results.filter((result) => result.status === 'rejected')

  expect(results.slice(0, 1000).every((result) => result.status === 'fulfilled' && result.value)).toBe(true)
  expect(refused.length).toBeGreaterThan(50)
  for (const { reason } of refused) expect(reason).toMatchObject({ name: 'Unavailable', code: 503 })

  expect(await hasher.compare(PASSWORD, hash)).toBe(true)
  expect(await hasher.compare('wrong', hash)).toBe(false)
  await hasher.close()
})

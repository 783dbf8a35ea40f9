import { expect, it, vi } from 'vitest'
import { BcryptHasher } from '../../src/authentication.ts'
import { INVALID, KNOWN, open, PASSWORD } from './support/login.ts'

// What a client could do with a login: get in without a password, find out who has an account, stop the server.

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

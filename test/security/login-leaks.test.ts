import { expect, it, vi } from 'vitest'
import express, { errorHandler, rest } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { CountingHasher, configureLogin } from '../support/login.ts'
import { serve } from '../support/server.ts'
import { INVALID, KNOWN, open } from './support/login.ts'

// What a client could do with a login: read what is protected, in answers, errors or the log.

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

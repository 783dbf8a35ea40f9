import { once } from 'node:events'
import compression from 'compression'
import { expect, it, onTestFinished } from 'vitest'
import { AuthenticationService, JWTStrategy, LocalStrategy } from '../../src/authentication.ts'
import { getInternals } from '../../src/core/internals.ts'
import { events } from '../../src/events.ts'
import express, { errorHandler, rest } from '../../src/express.ts'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { defer } from '../support/deferred.ts'
import { readEvents } from '../support/event-stream.ts'
import { configureLogin } from '../support/login.ts'
import { serve } from '../support/server.ts'

/** An application with users, whose events are for those who are logged in. */
async function openLogin() {
  const app: any = express(alula()).configure(rest()).configure(events())
  const authentication = configureLogin(app)
  const names: string[] = []

  for (const name of ['login', 'connection', 'disconnect']) app.on(name, () => names.push(name))
  app.on('login', ({ user }: any, { connection }: any) => app.channel(user.email).join(connection))
  app.service('notes').publish(() => app.channel('ann'))
  app.use(errorHandler({ logger: false }))

  const url = await serve(app)
  const user = { email: 'ann', password: 'open sesame' }

  await app.service('users').create({ id: 1, ...user })

  const { accessToken } = await authentication.create({ strategy: 'local', ...user })
  const listen = async (token: string) =>
    fetch(`${url}/events`, { headers: { Authorization: `Bearer ${token}`, Connection: 'close' } })

  names.length = 0

  return { app, url, names, authentication, accessToken, listen }
}

it('credentials in the header log the connection in, and its stream ends with its login', async () => {
  const { app, url, names, accessToken, listen } = await openLogin()
  const { find } = readEvents(await listen(accessToken))

  expect(names).toEqual(['login', 'connection'])
  await app.service('notes').create({ text: 'a' })
  expect(await find('event')).toMatchObject({ event: 'notes created' })

  const ended = once(app, 'disconnect')

  await fetch(`${url}/authentication`, {
    method: 'DELETE',
    headers: { Authorization: `Bearer ${accessToken}`, Connection: 'close' }
  })
  await ended
  expect(await find('event')).toBeUndefined()
  expect(names).toEqual(['login', 'connection', 'disconnect'])
  expect((await listen(accessToken)).status).toBe(401)
})

it('a stream ends when its token expires, and another one of the user stays', async () => {
  const { app, names, authentication, accessToken, listen } = await openLogin()
  const shorter = await authentication.createAccessToken({}, { subject: '1', expiresIn: '3s' })
  const staying = readEvents(await listen(accessToken))
  const { find } = readEvents(await listen(shorter))

  expect(await find('event')).toBeUndefined()
  expect(names).toEqual(['login', 'connection', 'login', 'connection', 'disconnect'])
  expect(app.channel('ann').length).toBe(1)
  await app.service('notes').create({ text: 'a' })
  expect(await staying.find('event')).toMatchObject({ event: 'notes created' })
  expect((await listen(shorter)).status).toBe(401)
})

it('a connection that the application ends at its login is a 401', async () => {
  const { app, names, accessToken, listen } = await openLogin()

  app.on('login', (_result: unknown, { connection }: any) => app.emit('disconnect', connection))
  expect((await listen(accessToken)).status).toBe(401)
  expect(names).not.toContain('connection')
  expect(app.channel('ann').length).toBe(0)
})

it('a client that goes while its login runs leaves no connection', async () => {
  const { app, names, accessToken } = await openLogin()
  const client = new AbortController()
  const headers = { Authorization: `Bearer ${accessToken}` }

  app.service('authentication').hooks({
    around: {
      create: [
        async (_context: unknown, next: () => Promise<void>) => {
          await next()
          client.abort()
        }
      ]
    }
  })
  await createHandler(app)(new Request('http://localhost/events', { headers, signal: client.signal }))
  expect(names).toEqual(['login', 'disconnect'])
  expect(app.channel('ann').length).toBe(0)
})

it('credentials that are not valid are a 401, and no connection', async () => {
  const { names, listen } = await openLogin()
  const response = await listen('x')

  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toBe('Bearer')
  expect(await response.json()).toMatchObject({ name: 'NotAuthenticated' })
  expect(names).toEqual([])
})

it('HEAD has the status of GET, and leaves no login', async () => {
  const { app, url, names, accessToken } = await openLogin()
  const ask = async (path: string, token: string) => {
    const headers = { Authorization: `Bearer ${token}` }
    const { status, body } = await fetch(url + path, { method: 'HEAD', headers })

    expect(body).toBeNull()

    return status
  }

  expect(await ask('/events', 'x')).toBe(401)
  expect(await ask('/events?services[]=others', accessToken)).toBe(400)
  expect(names).toEqual([])
  expect(await ask('/events', accessToken)).toBe(200)
  expect(names).toEqual(['login', 'disconnect'])
  expect(app.channel('ann').length).toBe(0)
})

it('credentials are for the authentication service that the transport names', async () => {
  const app: any = express(alula()).configure(rest({ authentication: { service: 'staff/authentication' } }))

  configureLogin(app)
  app.set('staff', { ...app.get('authentication'), secret: 'another secret, longer than thirty-two bytes' })
  app.configure(events())

  const staff = new AuthenticationService(app, 'staff')

  staff.register('jwt', new JWTStrategy())
  staff.register('local', new LocalStrategy())
  app.use('staff/authentication', staff)
  app.use(errorHandler({ logger: false }))

  const url = await serve(app)
  const user = { email: 'ann', password: 'open sesame' }

  await app.service('users').create({ id: 1, ...user })

  const listen = async (service: string) => {
    const { accessToken } = await app.service(service).create({ strategy: 'local', ...user })
    const response = await fetch(`${url}/events`, { headers: { Authorization: `Bearer ${accessToken}` } })

    await response.body?.cancel()

    return response.status
  }

  expect(await listen('staff/authentication')).toBe(200)
  expect(await listen('authentication')).toBe(401)
})

it('compression does not hold events back', async () => {
  const app: any = express(alula())
  const warnings: Error[] = []
  const note = (warning: Error) => warnings.push(warning)

  process.on('warning', note)
  onTestFinished(() => void process.off('warning', note))
  app.use(compression({ threshold: 0 }))
  app.configure(rest()).configure(events())
  app.use('notes', memory())
  app.on('connection', (connection: object) => app.channel('all').join(connection))
  app.publish(() => app.channel('all'))
  app.use(errorHandler())

  const response = await fetch(`${await serve(app)}/events`)
  const { find, cancel } = readEvents(response)

  expect(response.headers.get('content-encoding')).toBeNull()
  await app.service('notes').create({})
  expect(await find('event')).toMatchObject({ event: 'notes created' })
  await cancel()
  expect(warnings).toEqual([])
})

/** An application whose streams are read by hand. */
function openHandler(options = {}, httpOptions = {}) {
  const app: any = alula().configure(events(options))

  app.use('notes', memory())
  app.publish(() => app.channel('all'))
  app.on('connection', (connection: object) => app.channel('all').join(connection))

  const handle = createHandler(app, httpOptions)

  return {
    app,
    notes: app.service('notes'),
    listen: (id = '') =>
      handle(new Request('http://localhost/events', { headers: id ? { 'Last-Event-ID': id } : {} }))
  }
}

it('the stream of a client that does not read is closed, which is no error of the server', async () => {
  const logged: unknown[] = []
  const logger = { error: (...line: unknown[]) => void logged.push(line) }
  const { app, notes, listen } = openHandler({ maxUnsentBytes: 2000 }, { logger })
  const slow = await listen()
  const ended = once(app, 'disconnect')

  await notes.create({ text: 'first' })
  for (let count = 0; count < 5; count++) await notes.create({ text: 'x'.repeat(1000) })

  await ended
  await expect(slow.text()).rejects.toThrow('The client does not read its events')
  expect(app.channel('all').length).toBe(0)
  expect(logged).toEqual([])
})

it('what happens while a connection joins its channels comes too', async () => {
  const { app, notes, listen } = openHandler()

  app.removeAllListeners('connection')
  app.on('connection', async (connection: object) => {
    await notes.create({ text: 'meanwhile' })
    app.channel('all').join(connection)
  })

  const { find, cancel } = readEvents(await listen())

  expect(await find('event')).toMatchObject({ data: expect.stringContaining('meanwhile') })
  await cancel()
})

it('streams end at teardown, with the log; then a client gets the time to come again alone, until the next setup', async () => {
  const { app, listen } = openHandler()

  await app.setup()

  const { find } = readEvents(await listen())

  await app.teardown()
  expect(await find('event')).toBeUndefined()
  expect(getInternals(app).log).toBeUndefined()

  const early = await listen()

  expect(early.status).toBe(200)
  expect(early.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  // 2 s, up to a half more or less.
  expect(await early.text()).toMatch(/^retry: [123]\d{3}\n\n$/)
  expect(getInternals(app).log).toBeUndefined()
  await app.setup()
  await (await listen()).body?.cancel()
  await app.teardown()
})

it('a client whose login runs over a teardown and the next setup gets the time to come again alone', async () => {
  const { app, names, accessToken } = await openLogin()
  const { promise, resolve } = defer()
  const { promise: begun, resolve: onBegun } = defer()
  const headers = { Authorization: `Bearer ${accessToken}` }

  app.service('authentication').hooks({
    after: {
      create: [
        () => {
          onBegun()

          return promise
        }
      ]
    }
  })

  const response = createHandler(app)(new Request('http://localhost/events', { headers }))

  await begun
  await app.teardown()
  await app.setup()
  resolve()

  const { next, cancel } = readEvents(await response)

  onTestFinished(() => cancel())
  expect(await next()).toMatchObject({ retry: expect.any(String) })
  expect(names).toEqual(['login', 'disconnect'])
  expect(await next()).toBeUndefined()
  await app.teardown()
})

it.each([
  [{ path: '/' }, "'path'"],
  [{ heartbeat: 0 }, "'heartbeat'"],
  [{ retry: 'soon' }, "'retry'"],
  [{ maxUnsentBytes: -1 }, "'maxUnsentBytes'"],
  [{ maxUnsentBytes: 0 }, "'maxUnsentBytes'"],
  [{ paht: '/events' }, "'paht'"]
])('%j is no option', (options: any, name) => {
  expect(() => events(options)).toThrow(name)
})

it('events() is configured once, and before the application is set up', async () => {
  const app = alula().configure(events())

  expect(() => app.configure(events())).toThrow('already')

  const late = alula()

  await late.setup()
  expect(() => late.configure(events())).toThrow('before the application is set up')
})

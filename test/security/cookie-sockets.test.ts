// A page of another site opened a WebSocket that belonged to the user of the browser.
import { describe, expect, it } from 'vitest'
import { AuthenticationService, authenticate, JWTStrategy } from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { socketio } from '../../src/socketio.ts'
import { SECRET } from '../support/login.ts'
import { serve } from '../support/server.ts'
import { ask, connectSocket } from '../support/sockets.ts'

async function start(options: object = {}, origins?: readonly string[]) {
  const app: any = alula()

  app.configure(socketio({ logger: false, ...options }))
  if (origins) app.set('origins', origins)
  app.set('authentication', {
    secret: SECRET,
    entity: null,
    authStrategies: ['jwt'],
    jwt: { cookie: 'token' }
  })

  const auth = new AuthenticationService(app)

  auth.register('jwt', new JWTStrategy())
  app.use('authentication', auth).use('things', { find: async () => ['secret'] })
  app.service('things').hooks({ before: { all: [authenticate('jwt')] } })

  const url = await serve(app)
  const token: string = await app.service('authentication').createAccessToken({}, { subject: '1' })

  return {
    url,
    find: async (headers: { [name: string]: string }) => {
      const socket = await connectSocket(url, { extraHeaders: { cookie: `token=${token}`, ...headers } })

      return (await ask(socket, 'find', 'things', {}))[1]
    },
    token
  }
}

const REFUSED = {
  data: { code: 403, name: 'Forbidden', message: expect.stringMatching(/^Credentials in a cookie/) }
}

describe('a socket that is opened with a cookie', () => {
  it.each([
    /^https:\/\/app\.example$/g,
    /https:\/\/app\.example/y,
    [/^https:\/\/app\.EXAMPLE$/gi, 'https://other.example']
  ])('is that of the user each time that an expression names the origin: %s', async (origin) => {
    const { url, find } = await start({ cors: { origin, credentials: true } })

    for (let time = 0; time < 3; time++) {
      const headers = { Origin: 'https://app.example' }
      const response = await fetch(`${url}/socket.io/?EIO=4&transport=polling`, { headers })

      expect(response.headers.get('access-control-allow-origin')).toBe('https://app.example')
      expect(await find(headers)).toEqual(['secret'])
    }

    await expect(find({ Origin: 'https://an.https://app.example' })).rejects.toMatchObject(REFUSED)
  })

  it.each([
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'websocket' },
    { 'Sec-Fetch-Site': 'same-site' }
  ] as { [name: string]: string }[])('is refused with %j', async (headers) => {
    const { find } = await start()

    await expect(find(headers)).rejects.toMatchObject(REFUSED)
  })

  it('is that of the user on pages of the server, and for programs', async () => {
    const { url, find } = await start()

    expect(await find({ Origin: url })).toEqual(['secret'])
    expect(await find({ 'Sec-Fetch-Site': 'same-origin' })).toEqual(['secret'])
    expect(await find({})).toEqual(['secret'])
  })

  it('is that of the user on pages of known origins', async () => {
    const { find } = await start({}, ['https://app.example'])

    expect(await find({ Origin: 'https://app.example' })).toEqual(['secret'])
    await expect(find({ Origin: 'https://other.example' })).rejects.toMatchObject(REFUSED)
  })

  it.each([['https://app.example'], [['https://app.example']], [/^https:\/\/app\.example$/]])(
    'is that of the user on pages that cors of Socket.IO lets send cookies: %s',
    async (origin) => {
      const { find } = await start({ cors: { origin, credentials: true } })
      const without = await start({ cors: { origin } })

      expect(await find({ Origin: 'https://app.example' })).toEqual(['secret'])
      await expect(find({ Origin: 'https://other.example' })).rejects.toMatchObject(REFUSED)
      await expect(without.find({ Origin: 'https://app.example' })).rejects.toMatchObject(REFUSED)
    }
  )

  it('is that of the user on pages of the host that a trusted proxy was asked for', async () => {
    const { find } = await start({ trustProxy: 1 })
    const without = await start()
    const headers = { Origin: 'https://app.example', 'X-Forwarded-Host': 'app.example' }
    // The last entry is that of the proxy.
    const written = { Origin: 'https://evil.example', 'X-Forwarded-Host': 'evil.example, app.example' }

    expect(await find(headers)).toEqual(['secret'])
    await expect(find({ ...headers, Origin: 'https://evil.example' })).rejects.toMatchObject(REFUSED)
    await expect(find(written)).rejects.toMatchObject(REFUSED)
    await expect(without.find(headers)).rejects.toMatchObject(REFUSED)
  })

  it('is that of the user of a header, from wherever it comes', async () => {
    const { find, token } = await start()

    expect(await find({ Origin: 'https://evil.example', authorization: `Bearer ${token}` })).toEqual([
      'secret'
    ])
  })

  it('is that of no user without a token in it, from wherever it comes', async () => {
    const { find } = await start()

    expect(await find({ Origin: 'https://evil.example', cookie: 'a=1' })).toBeUndefined()
  })
})

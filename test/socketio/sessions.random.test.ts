import fc from 'fast-check'
import type { Socket } from 'socket.io-client'
import { expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { socketio } from '../../src/socketio.ts'
import { CountingHasher, configureLogin } from '../support/login.ts'
import { scaled } from '../support/scale.ts'
import { serve } from '../support/server.ts'
import { call, connect, hear } from '../support/socketio.ts'
import { until } from '../support/until.ts'

// Whatever two users do on two connections at the same time: the server has each connection as the model has it, and its
// channels are those of that user alone. A failure of fast-check prints the seed.

const USERS = [0, 1] as const
const CLIENTS = [0, 1] as const

const step = fc.oneof(
  fc.record({
    kind: fc.constantFrom('login', 'logout', 'reconnect', 'race', 'change', 'race with a change'),
    user: fc.constantFrom(...USERS),
    client: fc.constantFrom(...CLIENTS)
  })
)

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

interface User {
  readonly id: number
  readonly email: string
  password: string
}

/** A connection of the model, and its real socket. */
interface Client {
  socket: Socket
  name: string
  user: User | undefined
  /** The token of the login. */
  accessToken?: string
}

async function open() {
  const app: any = alula().configure(
    socketio({ logger: false }, (io) =>
      io.use((socket: any, next) => {
        socket.feathers.name = socket.handshake.query.name
        next()
      })
    )
  )

  // A fast machine makes more connections in a second than a server usually takes.
  app.set('connectionRate', 10_000)
  configureLogin(app, { settings: { local: { hasher: new CountingHasher() } } })
  app.on('connection', (connection: any) => app.channel('all').join(connection))
  app.on('login', ({ user }: any, { connection }: any) => {
    app.channel(user.email, 'all').join(connection)
  })
  app.on('logout', (_result: any, { connection }: any) => app.channel('all').join(connection))

  return { app, url: await serve(app) }
}

let count = 0

async function run({ app, url }: Awaited<ReturnType<typeof open>>, steps: readonly Step[]): Promise<void> {
  const users: User[] = []
  const clients: Client[] = []

  const connectAs = async (name: string) => connect(url, { reconnection: false, query: { name } })

  for (const _ of USERS) {
    const credentials = { email: `user${++count}`, password: 'one' }

    users.push({ ...credentials, id: (await app.service('users').create(credentials)).id })
  }
  for (const _ of CLIENTS) {
    const name = `client${++count}`

    clients.push({ name, socket: await connectAs(name), user: undefined })
  }

  /** Logs in; returns the token, or the code of the error. */
  const logIn = ({ socket }: Client, { email, password }: User): Promise<any> =>
    call(socket, 'create', 'authentication', { strategy: 'local', email, password }, {}).then(
      (result) => result.accessToken,
      (error) => error.code
    )

  /** A new password, and what follows from it for the connections of the user. */
  async function change(user: User): Promise<void> {
    user.password = `password ${++count}`
    await app.service('users').patch(user.id, { password: user.password })
    await app.service('authentication').verifySessions(user.id)
  }

  async function waitForEnd(client: Client): Promise<void> {
    if (client.socket.connected) await hear(client.socket, 'disconnect')

    client.name = `client${++count}`
    client.socket = await connectAs(client.name)
    client.user = undefined
  }

  async function endAll(user: User): Promise<void> {
    await Promise.all(clients.filter((client) => client.user === user).map(waitForEnd))
  }

  for (const { kind, ...chosen } of steps) {
    const user = users[chosen.user] as User
    const other = users[1 - chosen.user] as User
    const client = clients[chosen.client] as Client

    switch (kind) {
      case 'login':
        client.accessToken = await logIn(client, user)
        expect(client.accessToken).toBeTypeOf('string')
        client.user = user
        break
      case 'logout': {
        const { accessToken } = client
        const isLoggedIn = client.user !== undefined

        expect(
          await call(client.socket, 'remove', 'authentication', null, {}).catch(({ code }) => code)
        ).toEqual(isLoggedIn ? expect.objectContaining({ accessToken }) : 401)
        client.user = undefined
        break
      }
      case 'reconnect': {
        client.socket.close()
        client.name = `client${++count}`
        client.socket = await connect(url, {
          reconnection: false,
          query: { name: client.name },
          ...(client.user && { extraHeaders: { Authorization: `Bearer ${client.accessToken}` } })
        })
        break
      }
      case 'race': {
        const tokens = await Promise.all([logIn(client, user), logIn(client, other)])

        // One after another, in the order in which they were sent.
        expect(tokens).toEqual([expect.any(String), expect.any(String)])
        client.accessToken = tokens[1]
        client.user = other
        break
      }
      case 'change':
        await change(user)
        await endAll(user)
        break
      case 'race with a change': {
        const [token] = await Promise.all([
          Promise.race([logIn(client, user), hear(client.socket, 'disconnect')]),
          change(user)
        ])

        if (typeof token === 'string') {
          client.accessToken = token
          client.user = user
        }
        await app.service('authentication').verifySessions(user.id)
        await endAll(user)
        // A login that was refused leaves the connection as it was; one that had no answer has ended it.
        if (!client.socket.connected) await waitForEnd(client)
        break
      }
    }

    await until(() => {
      const connections: any[] = app.channel('all').connections

      for (const { name, user } of clients) {
        const connection = connections.find((connection) => connection.name === name)

        expect(connection?.user?.email).toBe(user?.email)
        for (const { email } of users) {
          expect(app.channel(email).connections.includes(connection)).toBe(user?.email === email)
        }
      }
      for (const { email } of users) {
        expect(app.channel(email).length).toBe(clients.filter(({ user }) => user?.email === email).length)
      }
    })
  }

  for (const { socket, user } of clients) {
    const reply = call(socket, 'find', 'notes', {}).catch(({ code }) => code)

    expect(await reply).toEqual(user ? { of: user.email } : 401)
  }
  for (const { socket } of clients) socket.close()
  for (const { id } of users) await app.service('users').remove(id)
}

it('logins, logouts, new passwords and reconnections in any order leave what they should', async () => {
  const server = await open()

  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), (steps) => run(server, steps)),
    { numRuns: scaled(10_000) }
  )
}, 1_800_000)

import type { Socket } from 'socket.io-client'
import express, { errorHandler, rest } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { socketio } from '../../src/socketio.ts'
import { CountingHasher, configureLogin } from '../support/login.ts'
import { serve } from '../support/server.ts'
import { hear } from '../support/socketio.ts'

export const ANN = { email: 'ann', password: 'open sesame' }

export const BEN = { email: 'ben', password: 'a jar of figs' }

export const LOGIN = { strategy: 'local', ...ANN }

/**
 * An application with users, REST and sockets on a port. Who logs in joins the channels `users` and the one of its
 * name; everybody who is connected is in `all`.
 */
export async function open(
  settings: { [option: string]: any } = {},
  configure: (app: any) => void = () => undefined
) {
  const app: any = express(alula())
    .configure(rest())
    .configure(socketio({ logger: false }))
  const events: [name: string, connection: any][] = []
  const authentication = configureLogin(app, {
    settings: { ...settings, local: { hasher: new CountingHasher() } }
  })

  app.on('connection', (connection: any) => {
    events.push(['connection', connection])
    app.channel('all').join(connection)
  })
  app.on('login', ({ user }: any, { connection }: any) => {
    events.push(['login', connection])
    if (connection) app.channel('users', user.email).join(connection)
  })
  app.on('logout', (_result: unknown, { connection }: any) => events.push(['logout', connection]))
  app.on('disconnect', (connection: any) => events.push(['disconnect', connection]))
  app.service('notes').publish(() => app.channel('users'))
  configure(app)
  app.use(errorHandler({ logger: false }))

  const url = await serve(app)
  const ann = await app.service('users').create({ id: 1, ...ANN })

  await app.service('users').create({ id: 2, ...BEN })

  const names = () => events.map(([name]) => name)
  const tokenOf = async (user: object): Promise<string> =>
    (await authentication.create({ strategy: 'local', ...user })).accessToken
  const logOutByRest = async (token: string): Promise<number> => {
    const { status } = await fetch(`${url}/authentication`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${token}`, Connection: 'close' }
    })

    return status
  }

  return { app, authentication, url, ann, events, names, tokenOf, logOutByRest }
}

export const withToken = (token: string) => ({ extraHeaders: { Authorization: `Bearer ${token}` } })

/** How a client that is refused hears of it. */
export async function refuse(socket: Socket): Promise<any> {
  const [error] = await hear(socket, 'connect_error')

  return { message: error.message, data: error.data, ...error }
}

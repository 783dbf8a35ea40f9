import { feathers as officialFeathers } from '@feathersjs/feathers'
import official from '@feathersjs/socketio-client'
import { type Application, alula } from '../../src/index.ts'
import { socketio } from '../../src/socketio.ts'
import { serve } from '../support/server.ts'
import { type ClientOptions, connectSocket } from '../support/sockets.ts'

export const clients: { [name: string]: () => any } = { Feathers: officialFeathers, alula }

// Its types are those of a CommonJS module.
export const socketClient: any = official

type Configure = (app: Application<any>) => void

export const echo = {
  find: async (params: any) => ({ method: 'find', query: params.query }),
  get: async (id: any, params: any) => ({ method: 'get', id, query: params.query }),
  create: async (data: any, params: any) => ({ method: 'create', data, query: params.query }),
  update: async (id: any, data: any, params: any) => ({ method: 'update', id, data, query: params.query }),
  patch: async (id: any, data: any, params: any) => ({ method: 'patch', id, data, query: params.query }),
  remove: async (id: any, params: any) => ({ method: 'remove', id, query: params.query })
}

/** A server whose events reach everybody who is connected. */
export async function start(configure: Configure): Promise<string> {
  const app = alula<any>()

  app.configure(socketio({ logger: false }))
  app.on('connection', (connection) => app.channel('everybody').join(connection))
  app.publish(() => app.channel('everybody'))
  configure(app)

  return serve(app as any)
}

/** All that comes with an event from now on. */
export function record(service: any, ...events: string[]): [event: string, payload: unknown][] {
  const heard: [string, unknown][] = []

  for (const event of events) service.on(event, (payload: unknown) => heard.push([event, payload]))

  return heard
}

/** What connects an application of a client. */
export function createConnect(create: () => any) {
  /** An application of the client, on a socket that is connected. */
  const connect = async (url: string, options?: ClientOptions) => {
    const socket = await connectSocket(url, options)

    return { socket, client: create().configure(socketClient(socket)) }
  }

  const open = async (configure: Configure, options?: ClientOptions) =>
    connect(await start(configure), options)

  return { connect, open }
}

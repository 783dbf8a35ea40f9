// The servers and the HTTP libraries that our client meets: ours, and those of Feathers v5.
import { once } from 'node:events'
import type { Server } from 'node:http'
import * as officialAuthentication from '@feathersjs/authentication'
import * as officialLocal from '@feathersjs/authentication-local'
import officialExpress from '@feathersjs/express'
import { feathers as officialFeathers } from '@feathersjs/feathers'
import officialSocketio from '@feathersjs/socketio'
import axios from 'axios'
import type { Socket } from 'socket.io-client'
import superagent from 'superagent'
import { onTestFinished } from 'vitest'
import * as ourAuthentication from '../../src/authentication.ts'
import { type RestOptions, type RestServiceClass, rest } from '../../src/client.ts'
import express, { errorHandler, notFound, rest as ourRest } from '../../src/express.ts'
import { alula, type TransportConnection } from '../../src/index.ts'
import { socketio as ourSocketio } from '../../src/socketio.ts'
import { SECRET } from '../support/login.ts'
import { toUrl } from '../support/server.ts'
import { createClient } from '../support/socketio.ts'
import type { ClientOptions } from '../support/sockets.ts'

/** Starts a server with the services that `configure` registers; it is closed when the test ends. */
export type Serve = (configure: (app: any) => void, port?: number) => Promise<RunningServer>

interface RunningServer {
  readonly app: any
  readonly url: string
  close(): Promise<void>
}

/** Their types are those of CommonJS modules. */
const v5 = officialExpress as any

/** Servers that are reached over HTTP. */
export const restServers: { [name: string]: Serve } = {
  'our server': (configure, port) => {
    const app: any = express(alula())

    app.configure(ourRest())
    configure(app)
    app.use(notFound())
    app.use(errorHandler({ logger: false }))

    return start(app, port)
  },

  'a server of Feathers v5': (configure, port) => {
    const app = v5(officialFeathers())

    app.use(v5.json())
    app.configure(v5.rest())
    configure(app)
    app.use(v5.notFound())
    app.use(v5.errorHandler({ logger: false }))

    return start(app, port)
  }
}

/** Servers that are reached over sockets. */
export const socketServers: { [name: string]: Serve } = {
  'our server': (configure, port) => {
    const app: any = alula()

    app.configure(ourSocketio({ logger: false }))
    configure(app)

    return start(app, port)
  },

  'a server of Feathers v5': (configure, port) => {
    const app: any = officialFeathers()

    app.configure((officialSocketio as any)())
    configure(app)

    return start(app, port)
  }
}

type Connect = (
  url: string,
  options?: RestOptions | RestServiceClass,
  Service?: RestServiceClass
) => TransportConnection

/** The libraries that send requests. None keeps a connection, for which the end of a test would have to wait. */
export const libraries: { [name: string]: Connect } = {
  fetch: (url, options: any, Service) => rest(url).fetch(fetchOnce, options, Service),
  axios: (url, options: any, Service) => rest(url).axios(axios, options, Service),
  superagent: (url, options: any, Service) => rest(url).superagent(superagent, options, Service)
}

/** Every server with every library. */
export const restConnections = Object.entries(restServers).flatMap(([server, serve]) =>
  Object.entries(libraries).map(([library, connect]) => [`${library} and ${server}`, serve, connect] as const)
)

/**
 * A service that answers with what it was asked.
 *
 * @param show What of the params is in the answer
 */
export function createEcho(show: (params: any) => object) {
  return {
    find: async (params: any) => ({ method: 'find', ...show(params) }),
    get: async (id: any, params: any) => ({ method: 'get', id, ...show(params) }),
    create: async (data: any, params: any) => ({ method: 'create', data, ...show(params) }),
    update: async (id: any, data: any, params: any) => ({ method: 'update', id, data, ...show(params) }),
    patch: async (id: any, data: any, params: any) => ({ method: 'patch', id, data, ...show(params) }),
    remove: async (id: any, params: any) => ({ method: 'remove', id, ...show(params) }),
    shout: async (data: any, params: any) => ({ method: 'shout', data, ...show(params) })
  }
}

/** Keeps no connection. */
export function fetchOnce(url: string, init: any = {}): Promise<Response> {
  return fetch(url, { ...init, headers: { ...init.headers, Connection: 'close' } })
}

/** A socket that comes back soon; it is closed when the test ends. */
export function createSocket(url: string, options: ClientOptions = {}): Socket {
  return createClient(url, { reconnectionDelay: 20, ...options })
}

/** Waits for an event of a socket, a service or an application; resolves with its arguments. */
export function hear(emitter: any, event: string): Promise<any[]> {
  return new Promise((resolve) => emitter.once(event, (...values: any[]) => resolve(values)))
}

/** What a promise is rejected with. */
export function failure(promise: Promise<unknown>): Promise<any> {
  return promise.then(
    () => {
      throw new Error('It was to fail')
    },
    (error: unknown) => error
  )
}

/** The login of a server, by which kind it is. */
const logins: { [name: string]: typeof ourAuthentication } = {
  'our server': ourAuthentication,
  'a server of Feathers v5': {
    ...officialAuthentication,
    ...officialLocal,
    ...officialLocal.hooks
  } as any
}

export const EMAIL = 'wren@example.org'
export const LOGIN = { strategy: 'local', email: EMAIL, password: 'correct horse' }

/** Gives an application users who log in, and notes that are for them. Returns the authentication service. */
export function configureLogin(server: string, app: any, users: any): any {
  const library = logins[server] as typeof ourAuthentication
  const { AuthenticationService, JWTStrategy, LocalStrategy, authenticate, hashPassword, protect } = library

  app.set('authentication', {
    secret: SECRET,
    service: 'users',
    entity: 'user',
    authStrategies: ['jwt', 'local'],
    local: { usernameField: 'email', passwordField: 'password', hashSize: 4 }
  })

  const authentication = new AuthenticationService(app)

  authentication.register('jwt', new JWTStrategy())
  authentication.register('local', new LocalStrategy())
  app.use('authentication', authentication)
  app.use('users', users)
  app.use('notes', {
    find: async ({ user, headers }: any) => ({ owner: user.email, header: headers.authorization ?? null })
  })
  app.use('public', { find: async ({ user }: any) => ({ user: user?.email ?? null }) })
  app.service('users').hooks({
    before: { create: [hashPassword('password')] },
    after: { all: [protect('password')] }
  })
  app.service('notes').hooks({ before: { all: [authenticate('jwt')] } })

  return app.service('authentication')
}

async function start(app: any, port = 0): Promise<RunningServer> {
  const server: Server = await app.listen(port, '127.0.0.1')

  if (!server.listening) await once(server, 'listening')

  const closed = once(server, 'close')

  async function close(): Promise<void> {
    await app.io?.close()
    server.closeAllConnections()
    await app.teardown()
    server.close()
    await closed
  }

  onTestFinished(close)

  return { app, url: toUrl(server), close }
}

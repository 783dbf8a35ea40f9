import { memory as officialMemory } from '@feathersjs/memory'
import { onTestFinished, vi } from 'vitest'
import { memory } from '../../src/memory.ts'
import { configureLogin, LOGIN, restServers, socketServers } from './servers.ts'

// Login with our client, over HTTP and over sockets, on our server and one of Feathers v5.

export const OTHER = { strategy: 'local', email: 'owl@example.org', password: 'other horse' }

/** Starts a server with two users. */
export async function start(name: string, kind: 'rest' | 'sockets') {
  const isOurs = name === 'our server'
  const serve = (kind === 'rest' ? restServers : socketServers)[name] as NonNullable<
    (typeof restServers)[string]
  >
  let service: any
  const { app: server, url } = await serve((app) => {
    service = configureLogin(name, app, isOurs ? memory({ startId: 1 }) : officialMemory({ startId: 1 }))
  })

  for (const { email, password } of [LOGIN, OTHER]) await server.service('users').create({ email, password })

  const createToken = (options: object): Promise<string> =>
    service.createAccessToken({}, { subject: '1', ...options })

  return { server, url, createToken }
}

export const serverNames = Object.keys(restServers)

/** Runs code with a `window`, as a browser has it. */
export function withWindow(members: object): void {
  vi.stubGlobal('window', members)
  onTestFinished(() => void vi.unstubAllGlobals())
}

// An application that accepts the tokens of issuers.
import * as jose from 'jose'
import { onTestFinished, vi } from 'vitest'
import { AuthenticationService, authenticate, JWTStrategy } from '../../src/authentication.ts'
import express, { errorHandler, rest } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { socketio } from '../../src/socketio.ts'
import { AUDIENCE, createKey, type Issuer } from '../support/issuer.ts'
import { SECRET } from '../support/login.ts'
import { serve } from '../support/server.ts'

export const KEY = createKey('one')
export const NEXT = createKey('two')
export const MINUTE = 60_000

interface Options {
  readonly issuers: readonly any[]
  readonly settings?: object
  readonly users?: readonly any[]
}

/** An application whose `notes` say who reads them. */
export async function open({ issuers, settings = {}, users = [{ id: 1, sub: 'wren' }] }: Options) {
  const app: any = express(alula())
    .configure(rest())
    .configure(socketio({ logger: false }))

  app.set('authentication', {
    secret: SECRET,
    service: 'users',
    entity: 'user',
    authStrategies: ['jwt'],
    jwt: {
      issuers: issuers.map(({ fetched, getToken, rotate, stop, start, ...issuer }) => ({
        audience: AUDIENCE,
        toUser: async ({ sub }: any) =>
          (await app.service('users').find({ query: { sub }, paginate: false }))[0],
        ...issuer
      }))
    },
    ...settings
  })

  const auth = new AuthenticationService(app)

  auth.register('jwt', new JWTStrategy())
  app.use('authentication', auth)
  app.use('users', memory())
  app.use('notes', { find: async ({ user }: any) => ({ of: user?.sub ?? null }) })
  app.service('notes').hooks({ before: { all: [authenticate('jwt')] } })
  app.use(errorHandler({ logger: false }))

  const url = await serve(app)

  for (const user of users) await app.service('users').create(user)

  const read = async (token: string) => {
    const response = await fetch(`${url}/notes`, { headers: { Authorization: `Bearer ${token}` } })

    return { status: response.status, body: (await response.json()) as any }
  }

  return { app, url, read }
}

/** Signs as a provider would that says anything. */
export async function sign(
  { issuer }: Pick<Issuer, 'issuer'>,
  { key = KEY, header = {}, claims = {} }: { key?: any; header?: object; claims?: object } = {}
): Promise<string> {
  const now = Math.floor(Date.now() / 1000)

  return new jose.SignJWT({ iss: issuer, aud: AUDIENCE, sub: 'wren', iat: now, exp: now + 3600, ...claims })
    .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'at+jwt', ...header } as any)
    .sign(await jose.importJWK(key, key.alg))
}

/** Lets time pass; the clock is right again when the test ends. */
export function moveClock(time: number): void {
  const { now } = performance

  setClock(time)
  performance.now = () => now.call(performance) + time
  onTestFinished(() => {
    performance.now = now
  })
}

/** Sets the clock of the process forward, or back, in no time. */
export function setClock(difference: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + difference })
}

import * as official from '@feathersjs/authentication'
import * as officialLocal from '@feathersjs/authentication-local'
import { feathers as officialFeathers } from '@feathersjs/feathers'
import jsonwebtoken from 'jsonwebtoken'
import * as ours from '../../../src/authentication.ts'
import { alula } from '../../../src/index.ts'
import { withoutCode } from '../../support/error-code.ts'

export const SECRET = 'a secret of the tests that is long enough to be one'
export const CREDENTIALS = { email: 'wren@example.org', password: 'correct horse' }
/** Of `CREDENTIALS.password`. */
export const HASH = '$2b$04$WbAB4xsxekkzi7BbWGZgI.QsBNBGnIzdkmwt4Hs.5IsWCtICwkq6S'

export const FEATHERS = {
  create: officialFeathers as () => any,
  ...official,
  ...officialLocal,
  hooks: { ...official.hooks, ...officialLocal.hooks }
}
export const ALULA = { create: alula as () => any, ...ours }

/** One of the two: its exports, and what creates an application. Their types have nothing in common. */
export type Implementation = any
export type Case = [name: string, run: (library: Implementation) => unknown]

export const DEFAULTS = {
  secret: SECRET,
  service: 'users',
  entity: 'user',
  authStrategies: ['jwt', 'local'],
  local: { usernameField: 'email', passwordField: 'password', hashSize: 4 },
  // As in Feathers. What it does otherwise is tested elsewhere.
  revocation: false
}

export interface Options {
  [option: string]: unknown
}

/** The services of the case that runs. */
const started: any[] = []

/** An application, its authentication service, and the calls that its users get. */
export function start(library: Implementation, configuration: Options = {}, users: object = {}) {
  const app = library.create()
  const calls: unknown[] = []
  const user = { id: 7, email: CREDENTIALS.email, password: HASH, isAdmin: false }

  app.set('authentication', { ...DEFAULTS, ...configuration })

  const auth = new library.AuthenticationService(app)

  auth.register('jwt', new library.JWTStrategy())
  auth.register('local', new library.LocalStrategy())
  app.use('users', {
    id: 'id',
    find: async (params: any) => {
      calls.push(['find', params])

      return params.query.email === user.email ? [{ ...user }] : []
    },
    get: async (id: unknown, params: any) => {
      calls.push(['get', id, params])

      return { ...user }
    },
    create: async (data: unknown) => data,
    ...users
  })
  app.use('authentication', auth)

  started.push(auth)

  return { app, auth, calls, service: app.service('authentication') }
}

/** Ends what the services of a case have left running: ours hash in threads. */
export async function close(): Promise<void> {
  await Promise.all(started.splice(0).map((auth) => auth.teardown?.()))
}

/** What a case came to, without what is different at every call. */
export async function outcome(run: Case[1], library: Implementation): Promise<unknown> {
  try {
    return normalize(await run(library))
  } catch (error: any) {
    const { name, message, code, data } = error
    const isDeveloperError = message !== withoutCode(message)

    return {
      error: {
        name,
        message: withoutCode(message),
        ...(code && !isDeveloperError && { code }),
        ...(data && { data: normalize(data) })
      }
    }
  }
}

function normalize(value: any): any {
  if (typeof value === 'string')
    return /^[\w-]{10,}\.[\w-]{10,}\.[\w-]+$/.test(value) ? readToken(value) : value
  if (typeof value === 'function') return `function ${value.name}`
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(normalize)
  if (value instanceof Date) return 'a date'

  return Object.fromEntries(
    Object.entries(value)
      .filter(([, nested]) => nested !== undefined)
      .map(([name, nested]) => [name, isClaim(name, nested) ? `a ${name}` : normalize(nested)])
  )
}

function isClaim(name: string, value: unknown): boolean {
  return (
    (['iat', 'exp', 'nbf'].includes(name) && typeof value === 'number') ||
    (name === 'jti' && String(value).length === 36)
  )
}

function readToken(token: string): unknown {
  const { header, payload } = jsonwebtoken.decode(token, { complete: true }) as any
  const { exp, nbf, iat } = payload

  return { token: normalize({ header, payload, lifetime: exp - iat, delay: nbf - iat }) }
}

export function sign(
  payload: object | string,
  options: jsonwebtoken.SignOptions = {},
  secret = SECRET
): string {
  const standard = {
    ...(typeof payload === 'object' && { issuer: 'feathers', audience: 'https://yourdomain.com' }),
    ...(typeof payload === 'object' && !('exp' in payload) && { expiresIn: 3600 })
  }

  return jsonwebtoken.sign(payload, secret, {
    ...standard,
    ...options,
    header: { typ: 'access', ...options.header } as any
  })
}

export const LOGIN = { strategy: 'local', ...CREDENTIALS }
export const REST = { provider: 'rest' }

export const good = sign({ sub: '7' })
export const authenticated = { strategy: 'jwt', accessToken: good }

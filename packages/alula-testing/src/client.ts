import { type Application, asCaller, type Params } from 'alula'
import type { AuthenticationService } from 'alula/authentication'
import { createHandler, type HandlerOptions } from 'alula/fetch'
import { createError, createTypeError } from 'alula/plugin'
import { isPromise } from './check.ts'

/** A request of a test: that of `fetch`, and data. */
export interface TestRequest extends RequestInit {
  /** Data of a call; it is sent as JSON, with `POST` unless another method is given. */
  json?: unknown
}

/** A client of an application, in the same process. */
export interface TestClient {
  /**
   * Sends a request through the whole HTTP transport: path, query string, credentials, body, errors.
   *
   * @param path The path and the query string, such as `/notes?$limit=1`
   */
  fetch(path: string, request?: TestRequest): Promise<Response>
  /** The params of an external call, for `app.service(path)`; new ones each time. */
  readonly params: Params
}

/** A client with a login. */
export interface TestUser extends TestClient {
  readonly accessToken: string
}

/** The options of {@link loginAs}. */
export interface LoginOptions extends HandlerOptions {
  /** The path of the authentication service; the default one when left out. */
  readonly authService?: string
  /** The strategy that takes the token; `jwt` when left out. */
  readonly strategy?: string
}

const ORIGIN = 'http://localhost'

/**
 * Calls an application from a test as a client does, without a server and without a port. Middleware of Express
 * does not run.
 *
 * @param app An application that is set up
 * @param options Those of `createHandler` of `alula/fetch`; nothing is logged unless they have a logger
 * @throws Error when a request is sent before the application is set up
 * @example
 * const { fetch } = createTestClient(app)
 * const response = await fetch('/notes', { json: { text: 'Hello' } })
 */
export function createTestClient(app: Application, options: HandlerOptions = {}): TestClient {
  return createClient(app, options, {}, {})
}

/**
 * Calls an application from a test as a user who is logged in. The access token is a real one, issued for the entity
 * without a password: a logout, a new password and `isActive` apply to it.
 *
 * @param app An application with an authentication service, set up
 * @param entity The entity: usually a user, as its service returns it
 * @param options As for `createTestClient`, and which authentication service and strategy issue the token
 * @throws Error without an authentication service; TypeError for anything but an entity; NotAuthenticated for an entity without an id
 * @example
 * const ada = await loginAs(app, await app.service('users').create({ email, password }))
 *
 * await ada.fetch('/notes')
 * await app.service('notes').find({ ...ada.params, query: { done: false } })
 */
export async function loginAs(
  app: Application,
  entity: object,
  { authService, strategy = 'jwt', ...options }: LoginOptions = {}
): Promise<TestUser> {
  const service = app.defaultAuthentication?.(authService) as AuthenticationService | null | undefined

  if (!service)
    throw createError('ALULA_NO_AUTHENTICATION', 'The application has no authentication service to log in to')

  const { entity: name } = service.configuration

  if (name && (typeof entity !== 'object' || entity === null || isPromise(entity))) {
    throw createTypeError(
      'ALULA_INVALID_ARGUMENT',
      'loginAs expects the entity as its service returns it: await it'
    )
  }

  const { accessToken } = await service.issueToken({
    authentication: { strategy },
    ...(name && { [name]: entity })
  })

  return createUser(app, service, strategy, accessToken as string, options)
}

/** Logs in as {@link loginAs} does, with an access token whose login was in 1970. */
export async function loginLongAgo(app: Application, entity: object): Promise<TestUser> {
  const { accessToken: current } = await loginAs(app, entity)
  const service = app.defaultAuthentication?.() as AuthenticationService
  const payload: Record<string, unknown> = await service.verifyAccessToken(current)
  const claims = Object.entries(payload).filter(([name]) => !TOKEN_CLAIMS.includes(name))
  const accessToken = await service.createAccessToken(
    { ...Object.fromEntries(claims), auth_time: 0 },
    { subject: payload.sub as string }
  )

  return createUser(app, service, 'jwt', accessToken, {})
}

/** The claims that each token gets anew. */
const TOKEN_CLAIMS: readonly string[] = ['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti']

function createUser(
  app: Application,
  service: AuthenticationService,
  strategy: string,
  accessToken: string,
  options: HandlerOptions
): TestUser {
  const client = createClient(app, options, toHeaders(service, strategy, accessToken), {
    authentication: { strategy, accessToken }
  })

  return Object.assign(client, { accessToken })
}

function createClient(
  app: Application,
  options: HandlerOptions,
  headers: { readonly [name: string]: string },
  params: Params
): TestClient {
  const handler = createHandler(app, { logger: false, ...options })

  return {
    async fetch(path, { json, ...request } = {}) {
      if (!app._isSetup)
        throw createError('ALULA_NOT_SET_UP', 'The application is not set up: await app.setup() first')

      const defaults = { ...headers, ...(json !== undefined && { 'Content-Type': 'application/json' }) }
      const sent = new Headers(request.headers)

      for (const [name, value] of Object.entries(defaults)) {
        if (!sent.has(name)) sent.set(name, value)
      }

      return handler(
        new Request(new URL(path, ORIGIN), {
          ...(json !== undefined && { method: 'POST', body: JSON.stringify(json) }),
          ...request,
          headers: sent
        })
      )
    },
    get params() {
      return asCaller({ provider: 'rest', headers: {}, ...params })
    }
  }
}

/** The header that the strategy reads; a custom one may not configure it. */
function toHeaders(
  service: AuthenticationService,
  strategy: string,
  accessToken: string
): { [name: string]: string } {
  const { configuration = {} } = (service.getStrategy(strategy) ?? {}) as {
    configuration?: { [option: string]: string }
  }
  const { header = 'Authorization', schemes: [scheme] = ['Bearer'] } = configuration

  // Without a scheme, the header has the token alone.
  return { [header]: scheme ? `${scheme} ${accessToken}` : accessToken }
}

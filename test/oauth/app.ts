import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import original from 'express'
import { onTestFinished } from 'vitest'
import { AuthenticationService, authenticate, JWTStrategy, protect } from '../../src/authentication.ts'
import express, { errorHandler, notFound, rest, toMiddleware } from '../../src/express.ts'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { type MemoryOptions, memory } from '../../src/memory.ts'
import { toListener } from '../../src/node.ts'
import { OAuthStrategy, oauth } from '../../src/oauth.ts'
import { SECRET } from '../support/login.ts'
import type { OpenidProvider } from '../support/oidc.ts'
import { toUrl } from '../support/server.ts'
import { logInAtProvider, type Send, UserAgent } from '../support/user-agent.ts'

/** The page of the application. */
export const PAGE = 'https://app.example.org'

/** Where an application is that has no port. */
export const HTTPS_ORIGIN = 'https://api.example.org'

/** Endpoints of a provider that is never reached. */
export const NOWHERE = {
  key: 'alula',
  secret: 'a secret that nobody asks for',
  authorize_url: 'https://provider.example.org/authorize',
  access_url: 'https://provider.example.org/token',
  profile_url: 'https://provider.example.org/profile'
}

/** What an application with OAuth is made of. */
export interface OAuthOptions {
  /** The settings of the providers by name; `authentication.oauth` has what is in `oauth` besides. */
  readonly providers?: { readonly [name: string]: any }
  readonly oauth?: { readonly [option: string]: any }
  /** Settings of the authentication service. */
  readonly settings?: { readonly [option: string]: any }
  /** Strategies other than `OAuthStrategy`, by name. */
  readonly strategies?: { readonly [name: string]: OAuthStrategy }
  readonly users?: MemoryOptions
  /** Runs before `oauth()`. */
  readonly configure?: (app: any) => void
}

/** A running application. */
export interface OAuthServer {
  readonly app: any
  readonly auth: any
  readonly users: any
  /** The URL under which clients reach it. */
  readonly origin: string
  /** What requests go through. */
  readonly send: Send
  createAgent(): UserAgent
}

/** Gives an application `users`, `notes` for those who have logged in, and logins at providers. */
export function configureOAuth(app: any, origin: string, options: OAuthOptions = {}): void {
  const { providers = {}, oauth: settings = {}, strategies = {}, users = {}, configure } = options

  app.set('authentication', {
    secret: SECRET,
    entity: 'user',
    service: 'users',
    authStrategies: ['jwt'],
    ...options.settings,
    oauth: { defaults: { origin }, ...settings, ...providers }
  })

  const auth = new AuthenticationService(app)

  auth.register('jwt', new JWTStrategy())
  for (const name of Object.keys(providers)) auth.register(name, strategies[name] ?? new OAuthStrategy())

  app.use('authentication', auth)
  app.use('users', memory(users))
  app.use('notes', { find: async ({ user }: any) => ({ of: user.id }) })
  app.service('users').hooks({ after: { all: [protect('password')] } })
  app.service('notes').hooks({ before: { all: [authenticate('jwt')] } })
  configure?.(app)
  app.configure(oauth())
}

type Open = (options: OAuthOptions) => Promise<Pick<OAuthServer, 'app' | 'origin' | 'send'>>

/** The ways into an application that speak HTTP. */
export const transports: { readonly [name: string]: Open } = {
  'a server of Node': async (options) => {
    const { server, origin } = await listen()
    const app: any = alula()

    configureOAuth(app, origin, options)
    server.on('request', toListener(app, { logger: false }))
    await app.setup(server)

    return { app, origin, send: fetch }
  },

  Express: async (options) => {
    const { server, origin } = await listen()
    const app: any = express(alula())

    app.configure(rest())
    configureOAuth(app, origin, options)
    app.use(notFound())
    app.use(errorHandler({ logger: false }))
    server.on('request', app)
    await app.setup(server)

    return { app, origin, send: (url, init) => fetch(url, { ...init, headers: { ...init?.headers } }) }
  },

  'a server that exists already': async (options) => {
    const { server, origin: root } = await listen()
    const app: any = alula()
    const origin = `${root}/api`

    configureOAuth(app, origin, options)
    server.on('request', original().use('/api', toMiddleware(app, { logger: false })))
    await app.setup(server)

    return { app, origin, send: fetch }
  },

  Fetch: async (options) => {
    const app: any = alula()

    configureOAuth(app, HTTPS_ORIGIN, options)

    const handle = createHandler(app, { logger: false })

    const send: Send = (url, init) =>
      new URL(url).origin === HTTPS_ORIGIN ? handle(new Request(url, init)) : fetch(url, init)

    await app.setup()

    return { app, origin: HTTPS_ORIGIN, send }
  }
}

/** Starts an application behind a transport; it ends with the test. */
export async function startOAuth(
  options: OAuthOptions = {},
  transport: string = 'a server of Node'
): Promise<OAuthServer> {
  const { app, origin, send } = await (transports[transport] as Open)(options)

  onTestFinished(async () => void (await app.teardown()))

  return {
    app,
    origin,
    send,
    auth: app.service('authentication'),
    users: app.service('users'),
    createAgent: () => new UserAgent(send)
  }
}

/** A login that has begun. */
interface Begun {
  readonly response: Response
  readonly location: string
  readonly state: string
}

/** Opens `/oauth/<name>` in a browser. */
export async function begin(
  { origin }: OAuthServer,
  agent: UserAgent,
  name: string,
  search = '',
  headers: { [name: string]: string } = {}
): Promise<Begun> {
  const response = await agent.request(`${origin}/oauth/${name}${search}`, { headers })
  const location = response.headers.get('location')

  if (!location) throw new Error(`The login does not begin: ${response.status} ${await response.text()}`)

  return { response, location, state: new URL(location).searchParams.get('state') as string }
}

/** Goes to the provider, and returns where the browser is sent back to. */
export async function visit(
  server: OAuthServer,
  agent: UserAgent,
  name: string,
  login: string,
  search = '',
  headers: { [name: string]: string } = {}
): Promise<string> {
  const { location } = await begin(server, agent, name, search, headers)

  return logInAtProvider(agent, location, login)
}

/** Logs in at a provider, from the first request to the answer of the callback. */
export async function logIn(
  server: OAuthServer,
  agent: UserAgent,
  name: string,
  login: string,
  search = '',
  headers: { [name: string]: string } = {}
): Promise<Response> {
  return agent.request(await visit(server, agent, name, login, search, headers))
}

/** Registers at a provider where the logins of an application lead back to. */
export function allow(provider: OpenidProvider, { origin }: OAuthServer, ...names: string[]): void {
  for (const name of names) provider.allow(`${origin}/oauth/${name}/callback`)
}

/** What stands in the hash of the page that a response leads to. */
export function readHash(response: Response): URLSearchParams {
  return new URLSearchParams(new URL(response.headers.get('location') as string).hash.slice(1))
}

/** The body of a response. */
export function readJson(response: Response): Promise<any> {
  return response.json()
}

/** An access token for a user. */
export function createToken({ auth }: OAuthServer, id: string | number): Promise<string> {
  return auth.createAccessToken({}, { subject: String(id) })
}

/** Listens on a port of this machine, with nothing to answer yet; it ends with the test. */
export async function listen(): Promise<{ server: Server; origin: string }> {
  const server = createServer().listen(0, '127.0.0.1')

  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  })

  return { server, origin: toUrl(server) }
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import express from 'express'
import { SERVICE_OPTIONS } from '../core/service.ts'
import type {
  Application as CoreApplication,
  FeathersApplication,
  Registrable,
  RegistrationOptions,
  ServiceOptions
} from '../core/types.ts'
import { graft } from '../node/graft.ts'
import { implementListen } from '../node/listen.ts'
import { isObject } from '../utils/check.ts'
import { createError, createTypeError } from '../utils/developer-error.ts'
import { didYouMean } from '../utils/did-you-mean.ts'
import { copyWith } from '../utils/object.ts'
import { warnOfMissingErrorHandler } from './middleware-order.ts'
import { parseQuery } from './request.ts'
import { serverOptions } from './server.ts'

/** An application that is an Express application too. */
export interface Application<Services = any, Settings = any>
  extends ExpressMembers,
    CoreApplication<Services, Settings> {
  /** Responds to a request: the application can be given to `http.createServer`, or mounted on another one. */
  (request: IncomingMessage, response: ServerResponse): unknown

  /** The server that `listen` started. */
  server?: Server

  /** Returns a setting, or registers Express middleware for `GET` requests. */
  get: GetSetting<Settings> & express.IRouterMatcher<this>

  /** Changes a setting. */
  set: SetSetting<this, Settings>

  /** Registers Express middleware, or a service. */
  use: express.IRouterHandler<this> & express.IRouterMatcher<this> & UseService<this, Services>

  /**
   * Creates an HTTP server, sets the services up and starts to listen.
   *
   * @param args What `server.listen` of Node takes: port, host, a callback, …
   * @returns The server, once it listens. `app.teardown()` closes it.
   */
  listen(...args: any[]): Promise<Server>
}

/** The settings that Express knows. */
export type ExpressSetting =
  | 'case sensitive routing'
  | 'env'
  | 'etag'
  | 'jsonp callback name'
  | 'json escape'
  | 'json replacer'
  | 'json spaces'
  | 'query parser'
  | 'strict routing'
  | 'subdomain offset'
  | 'trust proxy'
  | 'view cache'
  | 'view engine'
  | 'views'
  | 'x-powered-by'

type ExpressMembers = Omit<express.Express, keyof CoreApplication | 'listen'>

interface GetSetting<Settings> {
  <Name extends keyof Settings & string>(name: Name): Settings[Name]
  (name: ExpressSetting): any
  // Overloads of Express for routes follow; without a handler it is a setting that the types do not know.
  (name: string): unknown
}

interface SetSetting<App, Settings> {
  <Name extends keyof Settings & string>(name: Name, value: Settings[Name]): App
  (name: ExpressSetting, value: unknown): App
}

/** After the signatures of Express, so that a service of the wrong type is reported as such. */
interface UseService<App, Services> {
  /** Registers a service, with Express middleware before and after it. */
  <Path extends keyof Services & string>(
    path: Path,
    ...middlewareAndService: AroundService<Registrable<Services, Path>, RegistrationOptions<Services, Path>>
  ): App
  /** Registers a service, or all services of another application under a path. */
  <Path extends keyof Services & string>(
    path: Path,
    service: Registrable<Services, Path>,
    options?: RegistrationOptions<Services, Path>
  ): App
}

type Middleware = express.RequestHandler | express.RequestHandler[]

declare module '../core/types.ts' {
  interface ServiceOptions {
    /** Express middleware that runs before and after the service. */
    express?: { before?: Middleware[] | undefined; after?: Middleware[] | undefined } | undefined
  }
}

/**
 * The service has a fixed position: all options are optional, so most services would be accepted as options. A tuple can
 * have one part of any length: what comes after the service, or else what comes before it.
 */
type AroundService<Service, Options> =
  | [service: Service, ...after: (Middleware | Options)[]]
  | [...before: Middleware[], service: Service, ...after: UpToFour<Middleware | Options>]

type UpToFour<T> = [] | [T] | [T, T] | [T, T, T] | [T, T, T, T]

/**
 * Turns an application into an Express application: one object that is a request listener, with the members
 * of both. Services become reachable once `rest()` is configured on it.
 *
 * @param app An application; without one a plain Express application is returned
 * @param expressApp The Express application to use. One that is made here does not say `X-Powered-By`
 * @throws Error when `app` is not an application, and when `expressApp` is none of Express
 */
export function feathersExpress<Services = any, Settings = any>(
  app?: FeathersApplication<Services, Settings>,
  expressApp: express.Express = app ? express().disable('x-powered-by') : express()
): Application<Services, Settings> {
  if (!app)
    return Object.assign(expressApp, { configure: refusePlugin }) as unknown as Application<
      Services,
      Settings
    >

  if (typeof app.setup !== 'function') {
    throw createError(
      'ALULA_INVALID_APPLICATION',
      'alula/express requires a valid Feathers application instance'
    )
  }

  if (typeof expressApp?.route !== 'function') {
    throw createTypeError(
      'ALULA_INVALID_APPLICATION',
      'express(app, server) expects an application of Express as its second argument: options are those of rest()'
    )
  }

  const { use, handle } = expressApp as express.Express & { handle: Handle }

  for (const [name, value] of Object.entries(app.settings ?? {})) expressApp.set(name, value)

  const grafted = graft(expressApp, app)

  // Early, so that mounted applications, and code that extends its requests, use these prototypes.
  serverOptions(grafted)

  grafted.use = function (this: any, ...args: unknown[]) {
    const registration = toRegistration(args)

    assertCalled(args)

    if (!registration) return use.apply(this, args as Parameters<typeof use>)

    return (app.use as any).call(this, registration.path, registration.service, registration.options)
  }

  grafted.handle = function (this: express.Express, request, response, next) {
    // For a target such as `http://`, Express would run no middleware: no errorHandler() either.
    if (!hasPath(this, request)) Object.assign(request, { originalUrl: request.url, url: `/${request.url}` })

    handle.call(this, request, response, next)
  } satisfies Handle

  implementListen(grafted, (own) => createServer(serverOptions(own), own), {
    warn: warnOfMissingErrorHandler
  })

  expressApp.set('query parser', parseQuery)
  expressApp.use((request, _response, next) => {
    request.feathers = copyWith(request.feathers, { provider: 'rest' })
    next()
  })

  return grafted
}

type Handle = (request: IncomingMessage, response: ServerResponse, next?: express.NextFunction) => void

/** Whether Express finds a path in the target of a request. */
function hasPath({ request: prototype }: express.Express, request: IncomingMessage): boolean {
  if (request.url?.startsWith('/')) return true

  try {
    return typeof Reflect.get(prototype, 'path', request) === 'string'
  } catch {
    return false
  }
}

/** The `configure` of a plain Express application, which has no services. */
function refusePlugin(): never {
  throw createTypeError(
    'ALULA_INVALID_APPLICATION',
    'express() makes a plain Express application, which has no plugins and no services: write express(alula())'
  )
}

/** Express accepts a path without a slash, which no request matches. */
function assertCalled([path, ...rest]: readonly unknown[]): void {
  const isForExpress = typeof path !== 'string' || /^[/*{]/.test(path) || path === ''

  if (isForExpress || rest.length === 0 || !rest.every((argument) => typeof argument === 'function')) return

  throw createTypeError(
    'ALULA_INVALID_SERVICE',
    `app.use('${path}') got a function instead of a service: call it, as in memory(), or write new in front of a class. ` +
      `For middleware of Express, a path begins with a slash`
  )
}

interface Registration {
  readonly path: string
  readonly service: object
  readonly options: ServiceOptions
}

/** Reads the arguments of `use` as the registration of a service; `undefined` when they are middleware. */
function toRegistration([path, ...rest]: readonly unknown[]): Registration | undefined {
  const position = rest.findIndex((argument) => !isMiddleware(argument))
  const service = rest[position]

  // An object with `handle` is an application of another framework that Express knows how to mount.
  if (typeof path !== 'string' || !isObject(service) || typeof service.handle === 'function') return undefined

  const following = rest.slice(position + 1)
  const before = rest.slice(0, position).filter(isMiddleware)
  const after = following.filter(isMiddleware)
  const [options, ...more] = following.filter((argument) => !isMiddleware(argument))

  if (more.length > 0) {
    throw createError(
      'ALULA_INVALID_OPTION',
      `Invalid options passed to app.use: service '${path}' got several objects of options`
    )
  }

  const given = options === undefined ? {} : toServiceOptions(path, options)

  // The services inside are registered already: a guard around them would be dropped silently.
  if (isObject(service.services) && before.length + after.length > 0) {
    throw createError(
      'ALULA_INVALID_MIDDLEWARE',
      `Middleware cannot be put around the application at '${path}', only around its services`
    )
  }

  if (![before, after].flat(Number.POSITIVE_INFINITY).every((step) => typeof step === 'function')) {
    throw createTypeError(
      'ALULA_INVALID_MIDDLEWARE',
      `Invalid middleware of service '${path}': expected functions. Methods are listed in options: { methods: […] }`
    )
  }

  return { path, service, options: { ...given, express: putAround(given.express ?? {}, before, after) } }
}

/** Puts middleware around that of the option `express`. An option that is not valid stays: registration refuses it. */
function putAround(
  option: NonNullable<ServiceOptions['express']>,
  before: readonly Middleware[],
  after: readonly Middleware[]
): ServiceOptions['express'] {
  const { before: first = [], after: last = [] } = option

  if (!isObject(option) || !Array.isArray(first) || !Array.isArray(last)) return option

  return { ...option, before: [...before, ...first], after: [...last, ...after] }
}

function isMiddleware(argument: unknown): argument is Middleware {
  return typeof argument === 'function' || Array.isArray(argument)
}

/** An object without an option of services may be another service, or options of something else. */
function toServiceOptions(path: string, options: unknown): ServiceOptions {
  if (!isObject(options))
    throw createError('ALULA_INVALID_OPTION', `Invalid options of service '${path}': expected an object`)

  const [name] = Object.keys(options)

  if (name === undefined || SERVICE_OPTIONS.some((option) => options[option] !== undefined)) return options

  throw createError(
    'ALULA_UNKNOWN_OPTION',
    `Invalid options passed to app.use: service '${path}' has no option '${name}'${didYouMean(name, SERVICE_OPTIONS)}`
  )
}

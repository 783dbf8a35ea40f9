// `express(app)`: one object with the types of an application and of an Express application.
import { createServer, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { ErrorRequestHandler, NextFunction, Request, RequestHandler, Response } from 'express'
import express, {
  type Application,
  type ErrorHandlerOptions,
  type ErrorResponder,
  errorHandler,
  formatter,
  json,
  express as named,
  notFound,
  original,
  Router,
  raw,
  rest,
  static as serve,
  serveStatic,
  text,
  toMiddleware,
  urlencoded
} from '../../src/express.ts'
import {
  alula,
  type Application as CoreApplication,
  type FeathersService,
  feathers,
  type HookContext,
  type Params
} from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { expectType } from '../support/expect-type.ts'
import {
  type Message,
  MessageService,
  type Services,
  type Settings,
  type User,
  UserService
} from './services.ts'

type App = Application<Services, Settings>

const app = express(alula<Services, Settings>())
const contextual: App = express(feathers())
const anything = express(alula())

expectType<App>().of(app)
expectType<App>().of(express(alula<Services, Settings>(), original()))
expectType<typeof express>().of(named)
expectType<Application>().of(anything)
expectType<Application>().of(express())
contextual.use('messages', new MessageService())

// Services keep their types, and know this application.
expectType<FeathersService<App, MessageService>>().of(app.service('messages'))
app.service('messages').hooks({
  before: [(context) => expectType<HookContext<App, MessageService, string, 'before'>>().of(context)],
  after: { get: [async (context) => void (await context.app.listen(0))] }
})
app.hooks({ before: { all: [(context) => expectType<Params>().of(context.params)] } })
app.hooks({
  setup: [
    async (context, next) => {
      expectType<App>().of(context.app)
      await next()
    }
  ]
})
app.configure((configured) => expectType<App>().of(configured))

// @ts-expect-error -- no service belongs under this path
app.service('massages')

// Services, with middleware around them.
expectType<App>().of(app.use('messages', new MessageService()))
app.use('messages', new MessageService(), { methods: ['find', 'archive'], events: ['archived'] })
app.use('messages', json(), new MessageService())
app.use('messages', json(), [urlencoded({ extended: true })], new MessageService(), formatter, {
  methods: ['find', 'archive']
})
app.use('messages', new MessageService(), formatter)
app.use('messages', ...[json(), formatter], new MessageService())
app.use('messages', new MessageService(), formatter, formatter, formatter, formatter, formatter)
app.use('messages', json(), new MessageService(), { methods: ['find'] }, formatter, [formatter, formatter])
app.use('messages', json(), json(), json(), json(), new MessageService(), formatter, formatter, formatter, {
  events: ['archived']
})
app.use(
  'messages',
  (request, response, next) => {
    expectType<Partial<Params> & { [key: string]: any }>().of(request.feathers)
    request.feathers = { ...request.feathers, tenant: request.get('tenant') }
    response.set('tenant', request.feathers.tenant)
    next()
  },
  new MessageService(),
  (_request, response, next) => {
    expectType<any>().of(response.data)
    expectType<HookContext | undefined>().of(response.hook)
    response.data = { message: response.data, path: response.hook?.path }
    next()
  },
  { methods: ['find'], express: { before: [json()], after: [] } }
)

// @ts-expect-error -- no service belongs under this path
app.use('massages', new MessageService())
// @ts-expect-error -- another service belongs under this path
app.use('messages', new UserService())
// @ts-expect-error -- another service belongs under this path
app.use('messages', json(), new UserService())
// @ts-expect-error -- the service has no such method
app.use('messages', new MessageService(), { methods: ['publish'] })
// @ts-expect-error -- the service has no such method
app.use('messages', json(), new MessageService(), { methods: ['publish'] })
// @ts-expect-error -- there is no such option
app.use('messages', json(), new MessageService(), { method: ['find'] })
// @ts-expect-error -- there is no such option
app.use('messages', json(), new MessageService(), { methods: ['find'], event: ['archived'] })
// @ts-expect-error -- options are no service, though one of memory has all that they need
app.use('messages', memory<User>())
// @ts-expect-error -- nor are they with middleware around them
app.use('messages', json(), memory<User>(), formatter)
// @ts-expect-error -- nor as a literal
app.use('messages', { events: ['archived'] })
// @ts-expect-error -- a service is missing
app.use('messages', json(), { methods: ['find'] }, formatter)

// Middleware, routers and other applications, with and without a path.
const authenticate: RequestHandler = (_request, _response, next) => next()
const onError: ErrorRequestHandler = (error, _request, _response, next) => next(error)

expectType<App>().of(app.use(json({ limit: 1000 }), urlencoded({ extended: true }), text(), raw()))
expectType<App>().of(app.use('/public', serveStatic('public'), serve('public')))
app.use(authenticate).use(onError).use([authenticate, onError]).use(Router(), original())
app.use('/x', authenticate).use('/x', Router()).use('/x', original(), onError)
app.use(/^\/v\d+/, authenticate).use(['/a', '/b'], authenticate)
app.use((request, response, next) => {
  request.feathers = { provider: 'rest', ip: request.ip }
  response.on('finish', () => console.log(request.lookup?.params, response.statusCode))
  next()
})
app.use('/x', (_request, response) => void response.json({}))
// Express itself does not type a handler of errors in place.
app.use('/x', (error: Error, _request: Request, response: Response, _next: NextFunction) => {
  response.json(error.message)
})
app.use('/other', anything)
anything.use('/x', (_request, _response, next) => next()).use((_request, _response, next) => next())
anything.use('messages', new MessageService()).use('users', {
  async get(id) {
    expectType<string | number>().of(id)

    return { id }
  }
})
anything.use('users', authenticate, { get: async () => 1, call: async () => 2 }, { methods: ['get', 'call'] })
anything.use('api', alula())

// @ts-expect-error -- a number is no middleware
app.use(5)
// @ts-expect-error -- a text is no middleware
app.use('/x', 'authenticate')

// Routes and settings.
expectType<App>().of(
  app.get('/messages/:messageId/text', async (request, response) => {
    expectType<string>().of(request.params.messageId)
    response.json(await app.service('messages').get(request.params.messageId))
  })
)
app.post('/login', json(), (_request, response) => void response.status(201).end())
app.route('/login').all(authenticate)
expectType<number>().of(app.get('port'))
expectType<App>().of(app.set('port', 3030))
expectType<any>().of(app.get('trust proxy'))
expectType<unknown>().of(app.get('prot'))
app.set('trust proxy', true).set('views', 'views')
app.enable('trust proxy').disable('x-powered-by')
app.locals.title = 'Messages'
expectType<any>().of(anything.get('port'))
anything.set('port', 3030).set('anything', { goes: true })

// @ts-expect-error -- `port` is a number
app.set('port', '3030')
// @ts-expect-error -- there is no such setting
app.set('prot', 3030)

// Servers.
expectType<Promise<Server>>().of(app.listen(3030))
expectType<Promise<Server>>().of(app.listen(3030, '127.0.0.1', () => {}))
expectType<Promise<Server>>().of(app.listen({ port: 3030, host: '::1' }))
expectType<Server | undefined>().of(app.server)
createServer(app)
createSecureServer({}, app)
expectType<Promise<App>>().of(app.setup(createServer(app)))
expectType<Promise<App>>().of(app.teardown())
original().use(app).use('/api', app)

// What is configured and added.
app.configure(rest())
app.configure(rest(formatter))
app.configure(rest({ formatter: (_request, response) => void response.json(response.data), bodyLimit: 1000 }))
app.configure(rest(null))
app.use(notFound())
app.use(notFound({ verbose: true }))
app.use(errorHandler())
app.use(
  errorHandler({
    logger: console,
    public: 'public',
    html: {
      404: 'public/404.html',
      default: (error, request, response, next) => {
        expectType<number>().of(error.code)
        expectType<string>().of(request.url)
        response.send(error.message)
        next()
      }
    },
    json: (error, _request, response) => void response.json({ message: error.message })
  })
)
app.use(
  errorHandler({ logger: false, html: false, json: { 404: (_error, _request, response) => response.end() } })
)
app.use(errorHandler({ logger: { error: (message: string) => console.error(message) } }))

const responder: ErrorResponder = (error, _request, response) => void response.json(error)

export const options: ErrorHandlerOptions = { html: responder, json: { default: responder }, logger: null }

// @ts-expect-error -- there is no such option
rest({ formater: formatter })
// @ts-expect-error -- a limit is a number of bytes
rest({ bodyLimit: '100kb' })
// @ts-expect-error -- a page is a file or a function
errorHandler({ html: { 404: 404 } })
// @ts-expect-error -- a logger has `error`
errorHandler({ logger: {} })
// @ts-expect-error -- `verbose` is on or off
notFound({ verbose: 'yes' })

// In a server that is there already.
original().use('/api', toMiddleware(app), toMiddleware(alula<Services>(), { bodyLimit: 1000, logger: false }))

// @ts-expect-error -- an application is asked for
toMiddleware(new MessageService())
// @ts-expect-error -- there is no such option
toMiddleware(app, { limit: 1000 })

// An application is good wherever one with fewer types, or without Express, is asked for.
export const untyped: Application = app
export const core: CoreApplication<Services, Settings> = app
export const untypedCore: CoreApplication = app

const corePlugin = (_app: CoreApplication) => {}
const plugin = (_app: Application) => {}

app.configure(corePlugin).configure(plugin)
anything.configure(corePlugin).configure(plugin)

/** A plugin that hosts services for any app that has messages. */
export async function countMessages(host: Application<Pick<Services, 'messages'>>): Promise<Message[]> {
  return host.service('messages').find()
}

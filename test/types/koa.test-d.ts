// `koa(app)`: one object with the types of an application and of a Koa application.
import type { Server } from 'node:http'
import Router from '@koa/router'
import type KoaClass from 'koa'
import {
  alula,
  type Application as CoreApplication,
  type FeathersService,
  feathers,
  type HookContext
} from '../../src/index.ts'
import {
  type Application,
  authenticate,
  bodyParser,
  cors,
  errorHandler,
  type FeathersKoaContext,
  formatter,
  Koa,
  koa,
  type Middleware,
  parseAuthentication,
  type RestOptions,
  rest,
  serveStatic
} from '../../src/koa.ts'
import { memory } from '../../src/memory.ts'
import { expectType } from '../support/expect-type.ts'
import { type Message, MessageService, type Services, type Settings } from './services.ts'

type App = Application<Services, Settings>

const app = koa(alula<Services, Settings>())
const contextual: App = koa(feathers())
const anything = koa(alula())

expectType<App>().of(app)
expectType<App>().of(koa(alula<Services, Settings>(), new Koa()))
expectType<typeof KoaClass>().of(Koa)
contextual satisfies CoreApplication<Services, Settings>

// The members of Koa.
expectType<boolean>().of(app.proxy)
expectType<Promise<Server>>().of(app.listen(3030))
app.keys = ['key']
app.callback()

// Services keep their types.
expectType<FeathersService<App, MessageService>>().of(
  app.service('messages') as FeathersService<App, MessageService>
)
app.use('messages', new MessageService(), {
  methods: ['find', 'get', 'create'],
  koa: { before: [authenticate('jwt')], after: [formatter] }
})
anything.use('anything', memory())
// @ts-expect-error -- no service belongs under this path
app.use('people', new MessageService())
// @ts-expect-error -- a service of another type
app.use('messages', { find: async () => 1 })

// Middleware, of one's own and of others.
app.use(errorHandler()).use(cors({ credentials: true }))
app.use(bodyParser({ jsonLimit: '1mb', multipart: true }))
app.use(serveStatic('public', { maxage: 1000 }))
app.use(parseAuthentication({ strategies: ['jwt'] }))
app.use(new Router().routes())
app.use(async (context, next) => {
  expectType<string>().of(context.path)
  context.feathers = { ...context.feathers, tenant: 1 }
  await next()
  expectType<string | undefined>().of(context.hook?.method)
})
// @ts-expect-error -- middleware is a function
app.use({})

const middleware: Middleware<App> = async (context, next) => {
  // `@feathersjs/koa`, which other tests load, declares this property too.
  context.hook satisfies HookContext | undefined
  expectType<Message>().of(await context.app.service('messages').get(1))
  await next()
}

app.use(middleware)
;((context: FeathersKoaContext<App>) => context.app.service('messages')) satisfies (context: any) => unknown

expectType<Koa.Context['path']>().of('/notes' as string)
// @ts-expect-error -- there are no types for parts of an application
type _Addons = import('../../src/koa.ts').ApplicationAddons
// @ts-expect-error -- its settings are those of `rest`
type _Settings = import('../../src/koa.ts').AuthenticationSettings

// Options.
app.configure(rest())
app.configure(rest(formatter))
app.configure(rest({ prefix: '/api', bodyLimit: 1000, etag: false, formatter } satisfies RestOptions))
rest({ trustProxy: 0 } satisfies RestOptions)
// @ts-expect-error -- Koa has a setting of its own
rest({ trustProxy: 1 })
// @ts-expect-error -- it takes a logger
errorHandler({ logger: 1 })

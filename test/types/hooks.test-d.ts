// `app.hooks` and `service.hooks`: every shape of registration, typed in place.
import {
  type Application,
  type ApplicationHookContext,
  type ApplicationHookFunction,
  type ApplicationHookMap,
  type ApplicationHookOptions,
  type AroundHookFunction,
  type AroundHookMap,
  alula,
  type Hook,
  type HookContext,
  type HookFunction,
  type HookMap,
  type HookOptions,
  type HookType,
  type NextFunction
} from '../../src/index.ts'
import { expectType } from '../support/expect-type.ts'
import type { MessageService, Services, Settings } from './services.ts'

type App = Application<Services, Settings>
type Context<Method extends string, Type extends HookType> = HookContext<App, MessageService, Method, Type>

const app = alula<Services, Settings>()
const messages = app.service('messages')

// A service takes hooks by type, as a function, a list, or either by method.
messages.hooks({
  around: async (context, next) => {
    expectType<Context<string, 'around'>>().of(context)
    expectType<NextFunction>().of(next)
    await next()
  },
  before: (context) => expectType<Context<string, 'before'>>().of(context),
  after: [(context) => expectType<Context<string, 'after'>>().of(context)],
  error: {
    all: (context) => expectType<Context<string, 'error'>>().of(context),
    get: [async (context) => expectType<Context<'get', 'error'>>().of(context)]
  }
})
messages.hooks({
  around: [
    async (context, next) => {
      expectType<Context<string, 'around'>>().of(context)
      await next()
    }
  ],
  before: { archive: [(context) => expectType<Context<'archive', 'before'>>().of(context)] },
  after: {},
  error: []
})
messages.hooks({
  around: {
    all: [
      async (context, next) => {
        expectType<Context<string, 'around'>>().of(context)
        await next()
      }
    ],
    create: async (context, next) => {
      expectType<Context<'create', 'around'>>().of(context)
      await next()
    }
  }
})

// A list, or a map by method, is of around hooks.
messages.hooks([
  async (context, next) => {
    expectType<Context<string, 'around'>>().of(context)
    expectType<NextFunction>().of(next)
    await next()
  },
  async (_context, next) => next()
])
messages.hooks({
  all: [],
  create: [
    async (context, next) => {
      expectType<Context<'create', 'around'>>().of(context)
      await next()
    }
  ],
  archive: async (context, next) => {
    expectType<Context<'archive', 'around'>>().of(context)
    await next()
  }
})
messages.hooks({})
messages.hooks([])
expectType<typeof messages>().of(messages.hooks({}))

// @ts-expect-error -- there is no such hook type
messages.hooks({ befor: { all: [] } })
// @ts-expect-error -- the service has no such method
messages.hooks({ before: { creat: [] } })
// @ts-expect-error -- the service has no such method
messages.hooks({ around: { creat: [] } })
// @ts-expect-error -- the service has no such method
messages.hooks({ creat: [] })
// @ts-expect-error -- a hook is a function
messages.hooks({ before: { create: ['authenticate'] } })
// @ts-expect-error -- a hook is a function
messages.hooks({ after: true })
// @ts-expect-error -- a hook returns a context or nothing
messages.hooks({ before: { create: () => 5 } })
// @ts-expect-error -- before hooks have no `next`
messages.hooks({ before: [async (_context: HookContext, next: NextFunction) => next()] })
// @ts-expect-error -- `setup` is for applications
messages.hooks({ setup: [] })

// An application takes the same shapes for all services.
type AppContext<Method extends string, Type extends HookType> = HookContext<
  App,
  HookContext<App>['service'],
  Method,
  Type
>

app.hooks({
  around: async (context, next) => {
    expectType<AppContext<string, 'around'>>().of(context)
    expectType<NextFunction>().of(next)
    await next()
  },
  before: (context) => expectType<AppContext<string, 'before'>>().of(context),
  after: [(context) => expectType<AppContext<string, 'after'>>().of(context)],
  error: {
    all: (context) => expectType<AppContext<string, 'error'>>().of(context),
    get: [async (context) => expectType<AppContext<string, 'error'>>().of(context)]
  }
})
app.hooks({
  around: [
    async (context, next) => {
      expectType<AppContext<string, 'around'>>().of(context)
      await next()
    }
  ]
})
app.hooks({ around: { all: [async (_context, next) => next()], create: async (_context, next) => next() } })
app.hooks([
  async (context, next) => {
    expectType<AppContext<string, 'around'>>().of(context)
    expectType<NextFunction>().of(next)
    await next()
  }
])
app.hooks({
  create: [
    async (context, next) => {
      expectType<AppContext<string, 'around'>>().of(context)
      await next()
    }
  ],
  archive: async (_context, next) => next()
})
app.hooks({})
expectType<App>().of(app.hooks([]))

// And hooks for its own start and end.
app.hooks({
  setup: [
    async (context, next) => {
      expectType<ApplicationHookContext<App>>().of(context)
      expectType<number>().of(context.app.get('port'))
      await next()
    }
  ],
  teardown: async (context, next) => {
    expectType<any>().of(context.server)
    await next()
  }
})

// They may be written for the context of methods, as in Feathers v5.
app.hooks({
  setup: [
    async (_context: HookContext, next: NextFunction) => {
      await next()
    }
  ]
})

// @ts-expect-error -- there is no such hook type
app.hooks({ befor: { all: [] } })
// @ts-expect-error -- a hook is a function
app.hooks({ before: { create: ['authenticate'] } })
// @ts-expect-error -- start and end have around hooks, without a type
app.hooks({ setup: { before: [] } })
// @ts-expect-error -- hooks by type and hooks for start and end are registered apart
app.hooks({ before: { all: [] }, setup: [] })
// @ts-expect-error -- a hook is a function
app.hooks([5])

// Without types, hooks are typed in place all the same, and every method may be named.
const anything = alula()

anything.service('messages').hooks({
  before: [(context) => context.data.text.trim()],
  after: { publish: [(context) => context.result.text.trim()] }
})
anything.service('messages').hooks({ publish: [async (_context, next) => next()] })
anything.hooks({
  setup: [
    async (context, next) => {
      expectType<Application>().of(context.app)
      await next()
    }
  ]
})

// Hooks that are written by themselves fit every service.
const log = async (context: HookContext) => {
  console.log(context.path, context.method)
}

const timestamp = async (context: HookContext) => {
  context.data.createdAt = Date.now()

  return context
}

const trim = (context: HookContext) => {
  context.data.text = context.data.text.trim()
}

const extend = async (context: HookContext) => ({ ...context, tenant: 'a' })

const measure = async (context: HookContext, next: NextFunction) => {
  const start = Date.now()

  await next()
  context.duration = Date.now() - start
}

const onlyMessages = async (context: HookContext<App, MessageService>) => context

const fromFactory = (role: string): Hook => {
  return async (context) => {
    if (context.params.role !== role) throw new Error('Forbidden')
  }
}

const withThis: HookFunction<App, MessageService> = async function (context) {
  await this.archive({ before: new Date() }, context.params)
}

messages.hooks({
  around: { all: [measure] },
  before: { all: [log, timestamp, trim, extend, onlyMessages, fromFactory('admin'), withThis] },
  after: [log, timestamp, trim, extend, onlyMessages],
  error: { create: log }
})
messages.hooks([measure])
messages.hooks({ create: [measure], find: measure })
app.service('api/users').hooks({ before: { get: [log, timestamp, fromFactory('admin')] } })
app.hooks({ around: [measure], before: { all: [log, trim] }, after: log, error: [timestamp, extend] })
app.hooks([measure])
anything.hooks({ around: [measure], before: [log] })
anything.service('messages').hooks({ around: [measure], before: [log], error: { publish: [trim] } })

// @ts-expect-error -- users are not messages
app.service('api/users').hooks({ before: { all: [onlyMessages] } })

messages.hooks({
  after: {
    get: (context) => {
      // @ts-expect-error -- after hooks have a result
      delete context.result
    }
  }
})

// The names of the shapes.
const before: HookFunction<App, MessageService>[] = [
  (context) => expectType<Context<string, HookType>>().of(context)
]
const around: AroundHookFunction<App, MessageService>[] = [async (_context, next) => next()]
const byMethod: AroundHookMap<App, MessageService> = { all: around, create: around }
const byType: HookMap<App, MessageService> = { around: byMethod, before: { all: before }, error: before }
const lifecycle: ApplicationHookFunction<App> = async (_context, next) => next()
const application: ApplicationHookMap<App> = { setup: [lifecycle], teardown: [lifecycle] }

messages.hooks(byMethod).hooks(byType).hooks(around)
app.hooks(application)

export const shapes: HookOptions<App, MessageService>[] = [byMethod, byType, around, {}]
export const applicationShapes: ApplicationHookOptions<App>[] = [application, { setup: lifecycle }, {}]

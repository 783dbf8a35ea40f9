// Middleware in the options of a service: Express and Koa type its parameters, as with `app.use`.
import Router from '@koa/router'
import type { NextFunction, Request, Response } from 'express'
import type { Next } from 'koa'
import {
  authenticate as authenticateRequest,
  type Application as ExpressApplication,
  express,
  formatter as expressFormatter,
  json
} from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { authenticate, bodyParser, type FeathersKoaContext, koa, type Middleware } from '../../src/koa.ts'
import { memory } from '../../src/memory.ts'
import { expectType } from '../support/expect-type.ts'
import { MessageService, type Services } from './services.ts'

const onExpress = express(alula<Services>())
const onKoa = koa(alula<Services>())
const anything = express(alula())

onExpress.use('messages', new MessageService(), {
  methods: ['find', 'archive'],
  express: {
    before: [
      async (request, response, next) => {
        expectType<Request>().of(request)
        expectType<Response>().of(response)
        expectType<NextFunction>().of(next)
        next(request.body)
      },
      authenticateRequest('jwt'),
      [json(), json()]
    ],
    after: [(_request, response) => void response.json(response.data), expressFormatter]
  }
})

// Between middleware too.
onExpress.use('messages', json(), new MessageService(), json(), {
  express: { after: [(request, _response, next) => next(request.params)] }
})
anything.use('anything', memory(), {
  express: { before: [(request, _response, next) => next(request.lookup)] }
})

onKoa.use('messages', new MessageService(), {
  methods: ['find', 'archive'],
  koa: {
    before: [
      async (context, next) => {
        expectType<FeathersKoaContext>().of(context)
        expectType<Next>().of(next)
        context.feathers = { ...context.feathers, tenant: context.request.body.tenant }
        await next()
      },
      authenticate('jwt'),
      bodyParser(),
      new Router().routes() as Middleware
    ],
    after: [(context) => (context.body = context.hook?.result)]
  }
})

// As `bodyParser()` leaves them.
onKoa.use(async (context, next) => {
  expectType<any>().of(context.request.body)
  expectType<any>().of(context.request.files)
  expectType<string>().of(context.request.method)
  expectType<any>().of(({} as FeathersKoaContext).request.body.name)
  await next()
})

// @ts-expect-error -- not middleware
onExpress.use('messages', new MessageService(), { express: { before: ['json'] } })
// @ts-expect-error -- not a list
onExpress.use('messages', new MessageService(), { express: { before: json() } })
// @ts-expect-error -- not middleware
onKoa.use('messages', new MessageService(), { koa: { before: [5] } })
// @ts-expect-error -- not a list
onKoa.use('messages', new MessageService(), { koa: { after: bodyParser() } })
// @ts-expect-error -- there is no such option
onKoa.use('messages', new MessageService(), { koa: { around: [] } })

/** The options are the same in a function that takes any application. */
export function register(app: ExpressApplication): void {
  app.use('messages', new MessageService(), {
    express: { before: [(request, _response, next) => next(request.url)] }
  })
}

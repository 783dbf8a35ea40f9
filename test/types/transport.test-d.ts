// What every HTTP transport takes, functions that are mounted, and how errors look.
import { createServer, type Server } from 'node:http'
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https'
import { createHandler } from '../../src/fetch.ts'
import { alula, type HookContext, type MountedDetails, type MountedHandler } from '../../src/index.ts'
import { limitPipelining, toListener } from '../../src/node.ts'
import {
  createHttpHandler,
  type FormatError,
  type HttpHandler,
  type HttpOptions,
  type HttpResponse,
  type HttpResult,
  toHttpResult,
  withClientPlace
} from '../../src/transport.ts'
import { expectType } from '../support/expect-type.ts'
import type { Services, Settings } from './services.ts'

const app = alula<Services, Settings>()

// An option of every transport gets what its server calls a request.
const options: HttpOptions<{ tenant: string }> = {
  prefix: '/api',
  etag: false,
  cacheControl: 'private, no-cache',
  trustProxy: 1,
  cors: { origin: ['https://app.example'], credentials: true, exposedHeaders: ['ETag'], maxAge: 60 },
  logger: { error: (_message, details) => expectType<number | undefined>().of(details?.context.status) },
  params: async ({ tenant }, { address }) => {
    expectType<string | undefined>().of(address)

    return { tenant }
  }
}

// A connection of a transport keeps its type.
expectType<{ provider: string }>().of(withClientPlace({ provider: 'mqtt' }, { address: '192.0.2.1' }))

createHttpHandler(app, options)
expectType<HttpHandler>().of(createHttpHandler(app))
createHandler(app, { cors: true, params: (request, { address }) => ({ tenant: request.url, address }) })
toListener(app, { cors: { origin: (origin) => origin.endsWith('.example') } })

// @ts-expect-error -- a function of cors decides at once
toListener(app, { cors: { origin: async () => true } })
// @ts-expect-error -- a value, or false
toListener(app, { cacheControl: true })
// @ts-expect-error -- a number of proxies
toListener(app, { trustProxy: true })

export async function respond(handle: HttpHandler, context: HookContext): Promise<HttpResponse> {
  expectType<HttpResult>().of(toHttpResult(context))

  return handle({
    method: 'GET',
    path: '/things',
    search: '',
    headers: {},
    readText: async () => '',
    toRequest: (path) => new Request(path)
  })
}

// What is mounted takes a Request and returns a Response.
const handler: MountedHandler = async (request, { params, authentication, address }) => {
  expectType<Request>().of(request)
  expectType<string | undefined>().of(params.provider)
  expectType<string | undefined>().of(authentication?.strategy)
  expectType<string | undefined>().of(address)

  return new Response()
}

expectType<typeof app>().of(app.mount('/docs', handler))
app.mount('/other', () => new Response())
app.mount('/third', (_request, details) => Response.json(details satisfies MountedDetails))
// @ts-expect-error -- a Response is asked for
app.mount('/docs', () => 'text')
// @ts-expect-error -- a function is asked for
app.mount('/docs')

// The body of errors is the application's own.
const format: FormatError = ({ message, code }, { error, status, request }) => {
  expectType<unknown>().of(error)
  expectType<number>().of(status)

  return { title: message, code, instance: `${request.provider} ${request.method} ${request.path}` }
}

alula<Services, Settings & { formatError: FormatError }>().set('formatError', format)

// A server stays what it is.
expectType<Server>().of(limitPipelining(createServer()))
expectType<SecureServer>().of(limitPipelining(createSecureServer(), { requests: 10, bytes: 1000 }))
// @ts-expect-error -- a server is asked for
limitPipelining({})

// `createHandler(app)`: from a Request to a Response.
import { createHandler, type HandlerOptions } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { expectType } from '../support/expect-type.ts'
import { MessageService, type Services, type Settings } from './services.ts'

const app = alula<Services, Settings>()
const handler = createHandler(app)

expectType<(request: Request, details?: { address?: string | undefined }) => Promise<Response>>().of(handler)

createHandler(alula())
createHandler(app, {
  prefix: '/api',
  bodyLimit: 1000,
  logger: false,
  params: (request) => {
    expectType<Request>().of(request)

    return { tenant: request.headers.get('tenant'), headers: {} }
  }
})

export const options: HandlerOptions = { logger: console }

export async function answer(): Promise<unknown> {
  const response = await handler(new Request('http://localhost/messages'))

  return response.json()
}

// @ts-expect-error -- an application is asked for
createHandler(new MessageService())
// @ts-expect-error -- there is no such option
createHandler(app, { base: '/api' })
// @ts-expect-error -- headers are an object
createHandler(app, { params: () => ({ headers: 5 }) })
// @ts-expect-error -- a request is asked for
handler('http://localhost/messages')

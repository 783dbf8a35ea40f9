import { alula } from '../../src/index.ts'
import { type Application, errorHandler, koa, rest } from '../../src/koa.ts'

export const getJson = async (url: string, init?: RequestInit): Promise<any> =>
  (await fetch(url, init)).json()

/** An application with middleware before its services. */
export function create(
  before: (app: Application) => void,
  options?: Parameters<typeof rest>[0]
): Application {
  const app = koa(alula())

  app.use(errorHandler({ logger: false }))
  before(app)
  app.configure(rest(options))

  return app
}

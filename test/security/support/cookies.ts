import {
  AuthenticationService,
  type AuthenticationStrategy,
  authenticate,
  JWTStrategy
} from '../../../src/authentication.ts'
import { SECRET } from '../../support/login.ts'

export interface Options {
  readonly settings?: object
  readonly origins?: readonly string[]
  readonly strategies?: { readonly [name: string]: AuthenticationStrategy }
}

/** Gives an application services with and without a guard, and a mounted function. Returns what was stored. */
export function configure(app: any, { settings = {}, origins, strategies = {} }: Options = {}): unknown[] {
  const stored: unknown[] = []
  const store = async (...args: any[]) => {
    stored.push(args.slice(0, -1))

    return { by: args.at(-1).authentication?.payload?.sub ?? null }
  }
  const methods = ['find', 'get', 'create', 'update', 'patch', 'remove', 'act']
  const all = Object.fromEntries(methods.map((name) => [name, store]))
  const read = async () => ({ read: true })

  if (origins) app.set('origins', origins)
  app.set('authentication', {
    secret: SECRET,
    entity: null,
    authStrategies: ['jwt', ...Object.keys(strategies)],
    jwt: { cookie: 'token' },
    ...settings
  })

  const auth = new AuthenticationService(app)

  auth.register('jwt', new JWTStrategy())
  for (const [name, strategy] of Object.entries(strategies)) auth.register(name, strategy)
  app.use('authentication', auth)
  app.use('things', { ...all, find: read, get: read }, { methods, forms: true, multi: true } as any)
  app.use('open', { ...all, find: read, get: read }, { methods })
  app.service('things').hooks({ before: { all: [authenticate('jwt', ...Object.keys(strategies))] } })
  app.mount('mounted', (request: Request, { authentication }: any) => {
    if (request.method !== 'GET') stored.push(request.method)

    return Response.json({ authentication })
  })

  return stored
}

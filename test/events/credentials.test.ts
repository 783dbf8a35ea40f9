import { createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import {
  AuthenticationBaseStrategy,
  AuthenticationService,
  authenticate,
  JWTStrategy
} from '../../src/authentication.ts'
import { Forbidden, NotAuthenticated, Unavailable } from '../../src/errors.ts'
import { events } from '../../src/events.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { toListener } from '../../src/node.ts'

const ERRORS: Record<string, Error> = {
  wrong: new NotAuthenticated('There is no such key'),
  blocked: new Forbidden('This key is blocked'),
  early: new Unavailable('The keys cannot be read now')
}

class ApiKey extends AuthenticationBaseStrategy {
  async parse({ headers }: any): Promise<any> {
    const apiKey = headers?.['x-api-key']

    return apiKey ? { strategy: 'apiKey', apiKey } : null
  }

  async authenticate({ apiKey }: any): Promise<any> {
    if (ERRORS[apiKey]) throw ERRORS[apiKey]

    return { authentication: { strategy: 'apiKey' } }
  }
}

it('credentials that are for calls alone open no stream where a call with them fails', async () => {
  const app: any = alula()

  app.set('authentication', {
    secret: 'x'.repeat(40),
    service: 'users',
    entity: 'user',
    authStrategies: ['jwt'],
    parseStrategies: ['jwt', 'apiKey']
  })

  const service = new AuthenticationService(app)

  service.register('jwt', new JWTStrategy())
  service.register('apiKey', new ApiKey())
  app.use('authentication', service)
  app.use('users', memory())
  app.use('notes', memory())
  app.service('notes').hooks({ before: { all: [authenticate('jwt', 'apiKey')] } })
  app.configure(events())
  await app.setup()

  const server = createServer(toListener(app)).listen(0)

  onTestFinished(() => void server.close().closeAllConnections())

  const ask = async (path: string, key: string) => {
    const { port } = server.address() as any
    const cut = new AbortController()
    const { status } = await fetch(`http://localhost:${port}${path}`, {
      headers: { 'X-API-Key': key },
      signal: cut.signal
    })

    cut.abort()

    return status
  }

  for (const [key, status] of [
    ['right', 200],
    ['wrong', 401],
    ['blocked', 403],
    ['early', 503]
  ] as const) {
    expect(await ask('/notes', key), key).toBe(status)
    expect(await ask('/events', key), key).toBe(status)
  }
})

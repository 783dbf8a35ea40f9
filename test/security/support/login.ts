import express, { errorHandler, rest } from '../../../src/express.ts'
import { alula } from '../../../src/index.ts'
import { CountingHasher, configureLogin } from '../../support/login.ts'
import { serve } from '../../support/server.ts'

export const PASSWORD = 'open sesame'

export const KNOWN = { strategy: 'local', email: 'ann@example.com', password: PASSWORD }

export const INVALID = {
  name: 'NotAuthenticated',
  message: 'Invalid login',
  code: 401,
  className: 'not-authenticated'
}

/** An application on a port, with one user who can log in and some who cannot. Counts what reaches the users service. */
export async function open(settings: { [option: string]: any } = {}, bodyLimit = 100_000) {
  const app: any = express(alula()).configure(rest({ bodyLimit }))
  const hasher = new CountingHasher()
  const { local, ...others } = settings
  const authentication = configureLogin(app, {
    settings: { ...others, local: { hasher, ...local } },
    users: {
      operators: ['$not', '$nor'],
      store: {
        1: { id: 1, email: KNOWN.email, password: `hash of ${PASSWORD}`, role: 'user' },
        2: { id: 2, email: 'no-password@example.com', role: 'admin' },
        3: { id: 3, email: 'null@example.com', password: null },
        4: { id: 4, email: 'object@example.com', password: { toString: 'x' } },
        5: { id: 5, email: '', password: 'hash of ' }
      }
    }
  })
  const queries: { method: string; query: any; provider: unknown }[] = []

  app.service('users').hooks({
    before: {
      all: [
        ({ method, params }: any) => {
          queries.push({ method, query: params.query, provider: params.provider })
        }
      ]
    }
  })

  app.use(errorHandler({ logger: false }))

  const url = await serve(app)

  const send = (method: string, path: string, body: unknown) =>
    fetch(`${url}${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', Connection: 'close' },
      body: typeof body === 'string' ? body : JSON.stringify(body)
    })

  async function logIn(body: unknown, query = '') {
    const response = await send('POST', `/authentication${query}`, body)

    return { status: response.status, headers: response.headers, body: (await response.json()) as any }
  }

  return { app, authentication, hasher, queries, send, logIn }
}

import { CountingHasher, configureLogin } from '../../support/login.ts'
import type { OpenTransport, TransportClient } from '../../support/transports.ts'

export const CREDENTIALS = { email: 'ann@example.com', password: 'open sesame' }

/** Where it does not matter how a password is hashed. */
export const quick = () => ({ local: { hasher: new CountingHasher() } })

export const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })

export const post = (client: TransportClient, path: string, body: unknown, headers = {}) =>
  client.request(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body)
  })

export const logIn = (client: TransportClient, credentials: object = { strategy: 'local', ...CREDENTIALS }) =>
  client.call('create', 'authentication', { data: credentials })

export async function getToken(client: TransportClient): Promise<string> {
  const { accessToken } = await logIn(client)

  return accessToken
}

/** A transport to an application with one user, who has signed up through it. */
export async function openWithUser(open: OpenTransport, settings = {}) {
  let app: any
  const client = await open((application) => {
    app = application
    configureLogin(application, { settings })
  })
  const user = await client.call('create', 'users', { data: CREDENTIALS })

  return { app, client, user }
}

/** What the answer to a call is, or else the status of its error. */
export const outcome = (
  ...[client, method, path, options]: [TransportClient, ...Parameters<TransportClient['call']>]
) => client.call(method, path, options).catch(({ code }) => code)

export const MINE = { of: CREDENTIALS.email }

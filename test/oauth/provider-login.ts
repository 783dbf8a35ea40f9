import { generateKeyPairSync } from 'node:crypto'
import { type OAuthProfile, OAuthStrategy } from '../../src/oauth.ts'
import { begin, type OAuthOptions, startOAuth } from './app.ts'
import {
  type Answer,
  DISCOVERY,
  describeOpenid,
  type SeenRequest,
  type StandIn,
  startStandIn
} from './stand-in.ts'

export const { privateKey, publicKey } = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' }
})

export const APPLE = { teamId: 'the team', keyId: 'the key', privateKey }

/** Keeps the profile that it gets. */
class Listening extends OAuthStrategy {
  profile: OAuthProfile | undefined

  override async getProfile(data: any) {
    this.profile = data.profile

    return data.profile
  }
}

interface Setting {
  readonly settings?: object
  /** What the provider answers besides tokens. */
  readonly answer?: (request: SeenRequest, standIn: StandIn) => Answer
  /** The claims of the ID token. */
  readonly claims?: (nonce: string | null) => object
  readonly options?: OAuthOptions
  readonly users?: readonly object[]
  /** What the callback has besides. */
  readonly search?: string
}

/** Logs in at a stand-in for a known provider. */
export async function logInAs(
  name: string,
  { settings = {}, answer = () => undefined, claims, options = {}, users = [], search = '' }: Setting
) {
  let nonce: string | null = null
  const standIn = await startStandIn((request, self) => {
    if (request.path === DISCOVERY && claims) return describeOpenid(self.url)
    if (request.path === '/token') {
      return {
        access_token: 'a token of a stand-in',
        token_type: 'bearer',
        ...(claims && { id_token: self.sign(claims(nonce)) })
      }
    }

    return answer(request, self)
  })
  const strategy = new Listening()
  const { key, secret, authorize_url, access_url, profile_url } = standIn.plain
  const endpoints = claims ? { issuer: standIn.url } : { authorize_url, access_url, profile_url }
  const server = await startOAuth({
    ...options,
    providers: { [name]: { key, secret, ...endpoints, ...settings } },
    strategies: { [name]: strategy }
  })
  const agent = server.createAgent()

  for (const user of users) await server.users.create(user)

  const { location, state } = await begin(server, agent, name)

  nonce = new URL(location).searchParams.get('nonce')

  const response = await agent.request(
    `${server.origin}/oauth/${name}/callback?code=x&state=${encodeURIComponent(state)}${search}`
  )

  return {
    response,
    profile: strategy.profile,
    location: new URL(location),
    token: standIn.requests.find(({ path }) => path === '/token'),
    standIn,
    users: await server.users.find({ query: {} })
  }
}

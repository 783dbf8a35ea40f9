import { randomBytes } from 'node:crypto'
import { alula } from 'alula'
import { AuthenticationService, authenticate, JWTStrategy } from 'alula/authentication'
import express, { errorHandler, notFound, rest } from 'alula/express'
import { memory } from 'alula/memory'
import { OAuthStrategy, oauth } from 'alula/oauth'
import { createPage } from './page.js'
import { createProvider } from './provider.js'

// Anyone who knows the secret can issue tokens, so it does not belong in the code.
const { PORT = 3030, SECRET = randomBytes(48).toString('base64') } = process.env

const provider = await createProvider()
const app = express(alula())

// In front, so that its headers are on every answer.
app.configure(await createPage())
app.configure(rest())

// The URL of the server. In production, where it is behind a proxy: authentication.oauth.defaults.origin.
app.set('host', 'localhost')
app.set('port', Number(PORT))
app.set('authentication', {
  secret: SECRET,
  service: 'users',
  entity: 'user',
  authStrategies: ['jwt'],
  oauth: {
    // Where a login leads to: the page is on the server itself.
    redirect: '/',
    email: 'email',
    demo: { ...provider.client, issuer: provider.issuer, scope: ['openid', 'profile', 'email'] }
  }
})

/** Stores a name, besides the id at the provider and the address. */
class NamedStrategy extends OAuthStrategy {
  async getEntityData(profile, existing, params) {
    return { ...(await super.getEntityData(profile, existing, params)), name: profile.name }
  }
}

const authentication = new AuthenticationService(app)

authentication.register('jwt', new JWTStrategy())
authentication.register('demo', new NamedStrategy())

app.use('authentication', authentication)
app.use('users', memory(), { methods: ['get'] })
app.configure(oauth())
app.use(notFound())
app.use(errorHandler())

// Users see only themselves.
const onlySelf = async ({ params }) => {
  if (params.provider) params.query = { ...params.query, id: params.user.id }
}

app.service('users').hooks({ before: { get: [authenticate('jwt'), onlySelf] } })

const server = await app.listen(Number(PORT))
const { port } = server.address()

app.set('port', port)
provider.serve(`http://localhost:${port}/oauth/demo/callback`)

// Finishes the requests that are in flight, then tears the services down.
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => Promise.all([app.teardown(), provider.close()]))
}

console.log(`Log in on http://localhost:${port}`)
console.log(`The provider is on ${provider.issuer}`)

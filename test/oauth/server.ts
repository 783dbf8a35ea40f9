// An application in a process of its own, to see all that it writes down.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AuthenticationService, JWTStrategy } from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { toListener } from '../../src/node.ts'
import { OAuthStrategy, oauth } from '../../src/oauth.ts'

async function start(): Promise<void> {
  const { SECRET, CLIENT_SECRET, ISSUER } = process.env
  const server = createServer().listen(0, '127.0.0.1')

  await once(server, 'listening')

  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const app: any = alula()

  app.set('authentication', {
    secret: SECRET,
    entity: 'user',
    service: 'users',
    authStrategies: ['jwt'],
    oauth: {
      redirect: 'https://app.example.org',
      defaults: { origin },
      nest: { key: 'alula', secret: CLIENT_SECRET, issuer: ISSUER, scope: 'openid email' }
    }
  })

  const authentication = new AuthenticationService(app)

  authentication.register('jwt', new JWTStrategy())
  authentication.register('nest', new OAuthStrategy())
  app.use('authentication', authentication)
  app.use('users', memory())
  app.use('notes', { find: async () => [] })
  app.service('users').hooks({ before: { create: [refuseRobins] } })
  app.on('error', (error: Error) => console.error('An error: ', error))
  app.configure(oauth())
  server.on('request', toListener(app))
  await app.setup(server)

  console.log(`listens at ${origin}`)
}

function refuseRobins({ data }: any): void {
  if (data.nestId === 'robin') throw new Error('There is no room for robins')
}

void start()

import cors from 'cors'
import { AuthenticationService, JWTStrategy, LocalStrategy } from '../../dist/authentication.js'
import express, { errorHandler, notFound, rest } from '../../dist/express.js'
import { alula } from '../../dist/index.js'
import { openFile } from '../realworld/database.mjs'
import { configureArticles } from '../realworld/imperative/articles.mjs'
import { configureComments } from '../realworld/imperative/comments.mjs'
import { configureUsers } from '../realworld/imperative/users.mjs'

/** The same application with hooks, and with SQL by hand. */
export async function createServer() {
  const app = express(alula())
  const authentication = new AuthenticationService(app)

  app.set('authentication', {
    secret: process.env.SECRET,
    service: 'users',
    entity: 'user',
    authStrategies: ['jwt', 'local'],
    jwt: { schemes: ['Token'] },
    local: { usernameField: 'email', passwordField: 'password' }
  })
  app.set('db', openFile())
  authentication.register('jwt', new JWTStrategy())
  authentication.register('local', new LocalStrategy())

  app.use(cors())
  app.configure(rest({ prefix: '/api' }))
  app.use('authentication', authentication, { methods: [] })
  app.configure(configureUsers)
  app.configure(configureArticles)
  app.configure(configureComments)
  app.use(notFound(), errorHandler({ html: false, json: sendError }))

  return app.listen(0)
}

function sendError(error, _request, response) {
  if (error.code === 400 || error.code === 409) response.status(422)

  const taken = Object.keys(error.errors ?? {}).map((field) => `${field} is taken`)

  response.json({
    errors: { body: error.errors?.body ?? (error.code === 409 ? taken : [error.message]) }
  })
}

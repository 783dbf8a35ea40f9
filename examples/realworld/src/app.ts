import { alula } from 'alula'
import { closed } from 'alula/access'
import express, { errorHandler, notFound, rest } from 'alula/express'
import { openapi } from 'alula/openapi'
import { socketio } from 'alula/socketio'
import type { FormatError } from 'alula/transport'
import cors from 'cors'
import { declareArticles } from './articles.js'
import type { Db } from './database.js'
import type { Application } from './declarations.js'
import { declareUsers } from './users.js'

/** The application on a database. */
export function createApp(db: Db): Application {
  const app: Application = express(alula())

  app.set('errorStatus', { BadRequest: 422, Conflict: 422 })
  app.set('formatError', formatError)
  app.use(cors())
  app.configure(closed())
  app.configure(rest({ prefix: '/api' }))
  app.configure(socketio())
  app.configure(declareUsers(db))
  app.configure(declareArticles(db))
  app.configure(openapi({ info: { title: 'Conduit', version: '1.0.0' }, servers: [{ url: '/api' }] }))
  app.use(notFound(), errorHandler())

  app.on('connection', (connection) => app.channel('everybody').join(connection))
  app.service('articles').publish(() => app.channel('everybody'))
  app.service('articles/:slug/comments').publish(() => app.channel('everybody'))

  return app
}

/** Clients of Conduit read `errors.body`, those of alula `name` and `code`. */
const formatError: FormatError = (body) => {
  const faults = Object.entries(body.errors ?? {}).map(([field, fault]) => `${field} ${fault}`)

  return { ...body, errors: { body: faults.length > 0 ? faults : [body.message] } }
}

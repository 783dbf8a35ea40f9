import express, { errorHandler, json, notFound, rest, serveStatic, urlencoded } from '../../../src/express.ts'
import { feathers } from '../../../src/index.ts'
import { authentication } from './authentication.ts'
import type { Application } from './declarations.ts'
import { logError } from './log-error.ts'
import { message } from './messages.ts'
import { user } from './users.ts'

const services = (app: Application) => {
  app.configure(user)
  app.configure(message)
}

const app: Application = express(feathers())

app.set('port', 3030)
app.use(json())
app.use(urlencoded({ extended: true }))
app.use('/', serveStatic(app.get('public')))
app.configure(rest())
app.configure(authentication)
app.configure(services)
app.use(notFound())
app.use(errorHandler({ logger: console }))

app.hooks({
  around: { all: [logError] },
  before: {},
  after: {},
  error: {}
})
app.hooks({ setup: [], teardown: [] })

export { app }

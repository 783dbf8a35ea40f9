import { alula } from 'alula'
import { closed } from 'alula/access'
import express, { errorHandler, notFound, rest } from 'alula/express'
import { openapi } from 'alula/openapi'
import { socketio } from 'alula/socketio'
import { authentication } from './authentication.ts'
import type { Application } from './declarations.ts'
import { health } from './health.ts'
import { services } from './services.ts'
import { web } from './web.ts'

/** The application. It does not listen: `server.ts` does, and tests and commands need no port. */
export const app: Application = express(alula())

app.configure(rest({ prefix: '/api' }))
app.configure(socketio())
// Refuses methods that have no rule of access.
app.configure(closed())
app.configure(authentication)
app.configure(services)
app.configure(openapi({ info: { title: 'my-app', version: '0.0.0' } }))
app.configure(health)
app.configure(web)
app.use(notFound(), errorHandler())

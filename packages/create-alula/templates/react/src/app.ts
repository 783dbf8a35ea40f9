import { fileURLToPath } from 'node:url'
import { alula } from 'alula'
import { closed } from 'alula/access'
import express, { errorHandler, notFound, rest, serveStatic } from 'alula/express'
import { openapi } from 'alula/openapi'
import { socketio } from 'alula/socketio'
import { authentication } from './authentication.ts'
import type { Application } from './declarations.ts'
import { health } from './health.ts'
import { services } from './services.ts'

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
// The pages that `npm run build` makes. During development Vite serves them.
app.use(serveStatic(fileURLToPath(new URL('../dist/web', import.meta.url))))
app.use(notFound(), errorHandler())

import { alula } from 'alula'
import { closed } from 'alula/access'
import { openapi } from 'alula/openapi'
import { authentication } from './authentication.ts'
import type { Application } from './declarations.ts'
import { services } from './services.ts'

/** The services. `mount.ts` serves them; tests and commands need no port. */
export const app: Application = alula()

// Refuses methods that have no rule of access.
app.configure(closed())
app.configure(authentication)
app.configure(services)
app.configure(openapi({ info: { title: 'my-app', version: '0.0.0' } }))

import { config } from './config.ts'
import type { Application } from './declarations.ts'
import { notes } from './notes/notes.ts'
import { seed } from './seed.ts'
import { users } from './users/users.ts'

/** Registers the services. `npx alula generate service <name>` adds a line. */
export function services(app: Application): void {
  app.configure(users)
  app.configure(notes)

  app.hooks({
    setup: [
      async (_context, next) => {
        await next()
        if (config.NODE_ENV === 'development') await seed(app)
      }
    ]
  })
}

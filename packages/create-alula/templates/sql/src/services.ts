import { db } from './database.ts'
import type { Application } from './declarations.ts'
import { notes } from './notes/notes.ts'
import { users } from './users/users.ts'

/** Registers the services. `npx alula generate service <name>` adds a line. */
export function services(app: Application): void {
  app.configure(users)
  app.configure(notes)

  // Calls that are in flight end first: until then they need the database.
  app.hooks({
    teardown: [
      async (_context, next) => {
        try {
          await next()
        } finally {
          await db.destroy()
        }
      }
    ]
  })
}

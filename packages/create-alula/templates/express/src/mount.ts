import { errorHandler, toMiddleware } from 'alula/express'
import type { Express } from 'express'
import { app } from './app.ts'

/**
 * Serves the API below `/api`. What it does not have goes on to other routes. Call it before `express.json()`, so that the
 * API reads its bodies itself, and listen when its promise has resolved. Call `app.teardown()` when the server has closed.
 *
 * @param site The application of Express
 */
export async function mountApi(site: Express): Promise<void> {
  site.use('/api', toMiddleware(app), errorHandler({ html: false }))
  await app.setup()
}

import { Unavailable } from 'alula/errors'
import type { Application } from './declarations.ts'

/** Checks for load balancers: `/live` shows that the process runs, `/ready` that its store responds. */
export function health(app: Application): void {
  app.get('/live', (_request, response) => {
    response.json({ status: 'ok' })
  })
  app.get('/ready', async (_request, response) => {
    try {
      await app.service('notes').find({ query: { $limit: 0 } })
    } catch (cause) {
      throw new Unavailable('The store does not respond', { cause })
    }

    response.json({ status: 'ok' })
  })
}

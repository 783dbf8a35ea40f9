import { createServer as createHttpServer } from 'node:http'
import { alula } from '../../dist/index.js'
import { toListener } from '../../dist/node.js'
import { SETTINGS } from '../accounts.mjs'
import { addServices } from './alula-node.mjs'

/** Logins with all that they can have: sessions, and the budget for failed ones, by the address that a proxy names. */
export function createServer() {
  return serve({ ...SETTINGS, refresh: {} })
}

/**
 * A server of users, and messages with and without a login.
 *
 * @param settings The setting `authentication`
 */
export async function serve(settings) {
  const app = alula()

  addServices(app, {})
  app.set('authentication', settings)
  await app.setup()

  return createHttpServer(toListener(app, { trustProxy: 1 })).listen(0)
}

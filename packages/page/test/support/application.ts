import { openapi } from '../../../../src/openapi.ts'
import { SERVERS, type Serve } from '../../../../test/openapi/support/servers.ts'

/**
 * Serves an application with its page on a server of Node; it ends with the test.
 *
 * @param configure Registers the services
 */
export async function start(configure: (app: any) => void) {
  return (SERVERS.Node as Serve)((app) => {
    configure(app)
    app.configure(openapi())
  })
}

import { assertBeforeSetup, assertCalled } from '../core/assert-application.ts'
import { addPlugin, getInternals } from '../core/internals.ts'
import type { Application, MountedHandler, NextFunction } from '../core/types.ts'
import { NotFound } from '../errors.ts'
import { stripTrailingSlashes } from '../utils/path.ts'
import { Endpoint, toMetadataPath } from './endpoint.ts'
import { assertMcpOptions, type McpOptions } from './options.ts'

/**
 * Serves the methods of an application to AI agents, as tools of the Model Context Protocol, on every HTTP transport. A method is a tool where
 * its service has a schema and an access rule; a call has the rights of its caller, as over other transports. Needs the package
 * `@modelcontextprotocol/server`.
 *
 * @param options Where clients find it, which services it has, what asks the user first, and whose tokens count
 * @returns A function for `app.configure`
 * @throws TypeError for options that are not valid. What they name is checked when the application is set up
 * @example
 * app.configure(mcp({ resource: 'https://api.example.org/mcp' }))
 */
export function mcp(options: McpOptions): (app: any) => void {
  assertCalled('mcp', options)
  assertMcpOptions(options)

  const { path = '/mcp', resource, services, issuers } = options

  return (app: Application) => {
    assertBeforeSetup(app, 'alula/mcp')
    addPlugin(app, 'mcp', "'alula/mcp' is configured on the application already")
    getInternals(app).reachesByMcp = (name) => services?.includes(name) !== false

    const endpoint = new Endpoint(app, options)

    app.mount(
      path,
      exactly((request, details) => endpoint.respond(request, details))
    )
    if (issuers) app.mount(toMetadataPath(resource), exactly(serveMetadata(endpoint)))

    app.hooks({
      setup: [
        async (_context: unknown, next: NextFunction) => {
          // Services are set up by then, and tables read.
          await next()
          await endpoint.start()
        }
      ]
    })
  }
}

/** A function is mounted for the paths below its own too. */
function exactly(handler: MountedHandler): MountedHandler {
  return (request, details) => {
    if (stripTrailingSlashes(new URL(request.url).pathname) !== details.prefix)
      throw new NotFound('Not Found')

    return handler(request, details)
  }
}

/** Pages of clients read it too. */
function serveMetadata(endpoint: Endpoint): MountedHandler {
  return ({ method }) =>
    ['GET', 'HEAD', 'OPTIONS'].includes(method)
      ? Response.json(endpoint.metadata, { headers: { 'Access-Control-Allow-Origin': '*' } })
      : new Response(null, { status: 405, headers: { Allow: 'GET, HEAD, OPTIONS' } })
}

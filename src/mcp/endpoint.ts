import type * as Sdk from '@modelcontextprotocol/server'
import type { AuthenticationBase } from '../authentication/base.ts'
import { getClientPlace } from '../core/client-place.ts'
import { warnOnce } from '../core/internals.ts'
import type { Application, MountedDetails } from '../core/types.ts'
import { Forbidden } from '../errors.ts'
import { keepMade } from '../manifest/services.ts'
import { BODY_LIMIT } from '../transport/body.ts'
import { toClientError } from '../transport/error.ts'
import { isLoopback } from '../utils/check.ts'
import { rethrowMissingPeer } from '../utils/peer.ts'
import { type Caller, Callers } from './callers.ts'
import { Confirmations } from './confirmations.ts'
import { FEW } from './few.ts'
import { createResourceLogin } from './login.ts'
import type { McpOptions } from './options.ts'
import { createServer, type McpRequest, type ServedTools, type ServerSettings } from './server.ts'
import { listLeftOut, readTools } from './tools.ts'

/** Models choose well among so many. */
const MAX_TOOLS = 40

/** Clients lose tools of longer lists in silence. In bytes. */
const MAX_LIST = 20_000

/** What is made when the application starts. */
interface Started {
  readonly handler: Sdk.McpHttpHandler
  readonly sdk: typeof Sdk
}

/** The endpoint of an application. */
export class Endpoint {
  private readonly app: Application
  private readonly options: McpOptions
  private readonly callers: Callers
  private started: Promise<Started> | undefined
  /** Read at the start. */
  private readonly getTools: () => ServedTools

  constructor(app: Application, options: McpOptions) {
    this.app = app
    this.options = options
    this.callers = new Callers(app, options)
    this.getTools = keepMade(app, () => {
      const byName = readTools(app, options)

      return { byName, isFew: options.style ? options.style === 'few' : byName.size > MAX_TOOLS }
    })
  }

  /** @throws Error without the package, for options that name what there is not, and for tools of the same name */
  start(): Promise<Started> {
    // A start that has failed may be tried again.
    this.started ??= this.load().catch((error) => {
      this.started = undefined
      throw error
    })

    return this.started
  }

  /** Responds to a request. */
  async respond(request: Request, details: MountedDetails): Promise<Response> {
    const { handler, sdk } = await this.start()

    assertPlace(request, details, new URL(this.options.resource).hostname)

    const caller = await this.identify(details)

    if (caller instanceof Response) return caller
    if (request.method !== 'POST') return handler.fetch(request)

    const body = await readMessage(sdk, request)

    if (body instanceof Response) return body

    const made: McpRequest = { caller, needsLogin: false }
    const authInfo = { token: '', clientId: '', scopes: [], extra: { made } }
    const response = await handler.fetch(request, { authInfo, parsedBody: body.message })

    return caller.isAnonymous ? this.demandLogin(response, made) : response
  }

  /** Where clients find out at which authorization servers they log in (RFC 9728). */
  get metadata(): object {
    const { resource, issuers = [] } = this.options

    return {
      resource,
      authorization_servers: issuers.map(({ issuer }) => issuer),
      bearer_methods_supported: ['header']
    }
  }

  private async load(): Promise<Started> {
    const { app, options, callers } = this
    const sdk = await import('@modelcontextprotocol/server').catch(
      rethrowMissingPeer('@modelcontextprotocol/server', "'alula/mcp'")
    )

    await callers.assertComplete()

    const settings: ServerSettings = {
      app,
      sdk,
      confirmations: new Confirmations(callers, sdk),
      instructions: options.instructions,
      name: new URL(options.resource).host,
      challenge: this.toChallenge()
    }
    const auth = callers.auth as (AuthenticationBase & { hooks?: (map: object) => unknown }) | undefined

    this.warn()
    auth?.hooks?.({ around: { create: [createResourceLogin(auth, options.resource)] } })

    return {
      sdk,
      handler: sdk.createMcpHandler(
        ({ authInfo }) => createServer(settings, this.getTools(), authInfo?.extra?.made as McpRequest),
        { maxRequestBodySize: BODY_LIMIT, maxSubscriptions: 0 }
      )
    }
  }

  private warn(): void {
    const { app, options } = this
    const leftOut = listLeftOut(app, options)
    const { byName, isFew } = this.getTools()
    const tools = isFew ? FEW : [...byName.values()].map(({ tool }) => tool)
    const sizes = tools.map((tool) => Buffer.byteLength(JSON.stringify(tool)))
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    const sentences: string[] = []

    if (leftOut.length > 0) sentences.push(`These methods are no tools of MCP: ${leftOut.join('; ')}`)
    if (bytes > MAX_LIST) {
      const size = Math.max(...sizes)

      sentences.push(
        `The tools of MCP have ${bytes} bytes, and clients lose tools of more than ${MAX_LIST}. The largest is '${tools[sizes.indexOf(size)]?.name}' with ${size}: leave services out by the option 'services', or set style: 'few'`
      )
    }
    if (sentences.length > 0) warnOnce(app, 'ALULA_MCP_TOOLS', sentences.join('. '))
  }

  private async identify(details: MountedDetails): Promise<Caller | Response> {
    try {
      return await this.callers.identify(details)
    } catch (error) {
      if (toClientError(error).status !== 401) throw error

      const challenge = this.toChallenge(details.authentication ? 'invalid_token' : undefined)

      return toRpcError(401, -32_001, 'Not authenticated', { 'WWW-Authenticate': challenge })
    }
  }

  /** Clients begin a login at a 401 alone. */
  private async demandLogin(response: Response, made: McpRequest): Promise<Response> {
    const text = await response.text()
    const headers = new Headers(response.headers)

    if (made.needsLogin) headers.set('WWW-Authenticate', this.toChallenge())

    return new Response(text === '' ? null : text, {
      status: made.needsLogin ? 401 : response.status,
      headers
    })
  }

  private toChallenge(error?: string): string {
    const { issuers, resource } = this.options
    const parts = [
      ...(error ? [`error="${error}"`] : []),
      ...(issuers ? [`resource_metadata="${new URL(toMetadataPath(resource), resource)}"`] : [])
    ]

    return parts.length > 0 ? `Bearer ${parts.join(', ')}` : 'Bearer'
  }
}

/** The path of the document that names the authorization servers of a resource (RFC 9728 §3.1). */
export function toMetadataPath(resource: string): string {
  return `/.well-known/oauth-protected-resource${new URL(resource).pathname.replace(/\/$/, '')}`
}

/** Otherwise a page whose host name resolves to this machine could call it (DNS rebinding), and any page could by a cookie. */
function assertPlace(request: Request, { params }: MountedDetails, expected: string): void {
  const { hostname } = new URL(request.url)

  if (hostname !== expected && !isLoopback(hostname))
    throw new Forbidden(`Invalid host: expected '${expected}'`)
  if (getClientPlace(params)?.getPage?.() === 'other')
    throw new Forbidden(
      "Invalid origin: expected a page of this server, or of an origin that the option 'cors' or the setting 'origins' names"
    )
}

/** One message: those of several in one request, which no client sends any more, would have no bound. */
async function readMessage(sdk: typeof Sdk, request: Request): Promise<{ message: unknown } | Response> {
  const read = await sdk.readRequestBody(request, BODY_LIMIT)

  if (read.tooLarge) return toRpcError(413, -32_000, `The message is larger than ${BODY_LIMIT} bytes`)

  try {
    const message: unknown = JSON.parse(read.text)

    return Array.isArray(message)
      ? toRpcError(400, -32_600, 'Invalid request: expected one message')
      : { message }
  } catch {
    return toRpcError(400, -32_700, 'Parse error: the message is not valid JSON')
  }
}

function toRpcError(
  status: number,
  code: number,
  message: string,
  headers: Record<string, string> = {}
): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status, headers })
}

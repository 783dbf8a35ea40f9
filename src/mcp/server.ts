// The server of one request: nothing of it is shared with another.
import type * as Sdk from '@modelcontextprotocol/server'
import type { Application } from '../core/types.ts'
import { isString } from '../utils/check.ts'
import { didYouMean } from '../utils/did-you-mean.ts'
import { shorten } from '../utils/shorten.ts'
import type { GivenArguments } from './arguments.ts'
import { asksFirst, callTool } from './call.ts'
import type { Caller } from './callers.ts'
import type { Confirmations } from './confirmations.ts'
import { FEW, readFewArguments } from './few.ts'
import type { McpCall } from './params.ts'
import { toFault, toText } from './results.ts'
import { isListed, type MethodTool } from './tools.ts'

/** What the servers of all requests go by. */
export interface ServerSettings {
  readonly app: Application
  readonly sdk: typeof Sdk
  readonly confirmations: Confirmations
  readonly instructions: string | undefined
  readonly name: string
  /** What a caller without a login gets told of how to log in. */
  readonly challenge: string
}

/** The tools, and whether three stand for them. */
export interface ServedTools {
  readonly byName: ReadonlyMap<string, MethodTool>
  readonly isFew: boolean
}

/** One request: who makes it, and what is found out while it runs. */
export interface McpRequest {
  readonly caller: Caller
  /** Whether a caller without a login has asked for what needs one. */
  needsLogin: boolean
}

/** Makes the server of a request. */
export function createServer(settings: ServerSettings, tools: ServedTools, request: McpRequest): Sdk.Server {
  const { app, sdk, instructions, name } = settings
  const server = new sdk.Server(
    { name, version: '1.0.0' },
    { capabilities: { tools: {} }, ...(instructions !== undefined && { instructions }) }
  )
  const list = () => listFor(app, tools, request.caller)

  server.setRequestHandler('tools/list', async () => ({
    tools: tools.isFew ? [...FEW] : (await list()).map(({ tool }) => tool)
  }))
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const given = params.arguments ?? {}
    const run = (called: string, args: GivenArguments) => {
      const tool = findTool(sdk, tools.byName, called)

      return runTool(settings, server, request, { tool, args, meta: params._meta ?? {} }, context)
    }

    if (!tools.isFew) return run(params.name, given)

    const few = new Map(FEW.map((tool) => [tool.name, tool]))
    const { name, inputSchema } = findTool(sdk, few, params.name)
    const args = readFewArguments(inputSchema, given)

    if (isString(args)) return toFault(`BadRequest: ${args}`)
    if (name === 'call') return run(args.tool, args.arguments)

    const listed = new Map((await list()).map(({ tool }) => [tool.name, tool]))

    return name === 'list'
      ? toText([...listed.values()].map(({ name, description }) => `${name}: ${description}`).join('\n'))
      : toText(JSON.stringify(findTool(sdk, listed, args.tool)))
  })

  return server
}

async function listFor(app: Application, { byName }: ServedTools, caller: Caller): Promise<MethodTool[]> {
  const listed: MethodTool[] = []

  for (const tool of byName.values()) if (await isListed(app, tool, caller)) listed.push(tool)

  return listed
}

function findTool<Found>(sdk: typeof Sdk, byName: ReadonlyMap<string, Found>, name: string): Found {
  const tool = byName.get(name)

  if (tool) return tool

  throw new sdk.ProtocolError(
    sdk.ProtocolErrorCode.InvalidParams,
    `Unknown tool '${shorten(name)}'${didYouMean(name, [...byName.keys()])}`
  )
}

/** What a client asks for. */
interface ToolRequest {
  readonly tool: MethodTool
  readonly args: GivenArguments
  /** What it says of the request. */
  readonly meta: { readonly [name: string]: unknown }
}

async function runTool(
  { app, confirmations, challenge }: ServerSettings,
  server: Sdk.Server,
  request: McpRequest,
  { tool, args, meta }: ToolRequest,
  context: Sdk.ServerContext
): Promise<Sdk.CallToolResult | Sdk.InputRequiredResult> {
  const { caller } = request

  if (caller.isAnonymous && tool.who !== 'anyone') {
    request.needsLogin = true

    return {
      ...toFault('NotAuthenticated: Not authenticated'),
      _meta: { 'mcp/www_authenticate': [challenge] }
    }
  }

  async function ask(): Promise<Sdk.CallToolResult | Sdk.InputRequiredResult | undefined> {
    if (!asksFirst(tool, args)) return undefined

    const confirmed = { tool: tool.tool.name, args, caller }
    const answer = await confirmations.check(confirmed, server.getClientCapabilities(), context)

    return isString(answer) ? toFault(answer) : answer
  }

  const { idempotencyKey, traceparent } = meta
  const mcp = toMcpCall(server, caller, idempotencyKey)

  return callTool(app, tool, args, caller, { mcp, ...(traceparent !== undefined && { traceparent }) }, ask)
}

/** Clients choose how long their names are. */
function toMcpCall(server: Sdk.Server, { params }: Caller, key: unknown): McpCall {
  const client = server.getClientVersion()
  const { client_id: id, azp = id } = params.authentication?.payload ?? {}

  return {
    ...(client && { client: { name: shorten(client.name), version: shorten(client.version) } }),
    ...(typeof azp === 'string' && { clientId: azp }),
    ...(key !== undefined && { idempotencyKey: key })
  }
}

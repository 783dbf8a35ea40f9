// The methods of an application as tools.
import type { Tool } from '@modelcontextprotocol/server'
import { isStandardMethod } from '../core/methods.ts'
import { getServiceOptions } from '../core/service.ts'
import type { Application, FeathersService, HookContext } from '../core/types.ts'
import {
  findToolFault,
  type ManifestMethod,
  type ManifestService,
  readOpenServices
} from '../manifest/services.ts'
import { readSchemas } from '../openapi/document.ts'
import type { Schemas } from '../openapi/schemas.ts'
import { describeWho } from '../openapi/security.ts'
import { getMethodDefinition } from '../schema/compile.ts'
import { isString } from '../utils/check.ts'
import { createError } from '../utils/developer-error.ts'
import { didYouMean } from '../utils/did-you-mean.ts'
import { type ToolArguments, toToolArguments } from './arguments.ts'
import type { Caller } from './callers.ts'
import type { McpOptions } from './options.ts'

/** A method of a service, as clients of MCP see it. */
export interface MethodTool {
  readonly service: FeathersService
  /** The path of the service. */
  readonly path: string
  readonly method: string
  /** Who may call it, as in the table of `exposure`. */
  readonly who: string
  readonly args: ToolArguments
  /** Whether one call may concern several records. */
  readonly several: boolean
  /** Which calls ask the user first. */
  readonly asks: 'always' | 'several' | 'never'
  /** The field that an envelope has lists in, if there is one. */
  readonly many: string | undefined
  /** The fields that requests have their data in: with a name for one record alone, several are in that field too. */
  readonly wrappers: readonly string[]
  readonly tool: Tool
}

/** Clients put the name of the server before it, and refuse all tools for one whose name is longer than 64 characters. */
const MAX_NAME = 48

/**
 * Reads the tools of an application by name, in the order of its services. Throws an Error for two with the same name, and for
 * options that name what there is not.
 */
export function readTools(app: Application, options: McpOptions): ReadonlyMap<string, MethodTool> {
  const services = readOpenServices(app)
  const { schemas } = readSchemas(app, services, () => undefined)
  const byName = new Map<string, MethodTool>()

  for (const service of services) {
    for (const method of service.methods) {
      if (!method.transports.includes('mcp')) continue

      const one = toMethodTool(app, service, method, schemas, options)
      const other = byName.get(one.tool.name)

      if (other) {
        throw createError(
          'ALULA_MCP_TOOLS',
          `The tools of '${other.method}' of '${other.path}' and '${one.method}' of '${one.path}' are both called '${one.tool.name}': rename a service or a method, or leave one out by the option 'services' of mcp()`
        )
      }

      byName.set(one.tool.name, one)
    }
  }

  assertNames(app, options, [...byName.values()])

  return byName
}

/** Lists the methods that clients have over other transports, and that are no tools, each with the reason. */
export function listLeftOut(app: Application, { services }: McpOptions): readonly string[] {
  const methods = new Map<string, string[]>()

  for (const service of readOpenServices(app)) {
    if (services?.includes(service.path) === false) continue

    for (const { name, who } of service.methods) {
      const fault = findToolFault(app.service(service.path), name, who)
      const reason = `of '${service.path}' (${fault})`

      if (fault !== undefined) methods.set(reason, [...(methods.get(reason) ?? []), name])
    }
  }

  return [...methods].map(([reason, names]) => `${names.join(', ')} ${reason}`)
}

/** The name of a tool: `notes_find`. */
function toToolName(path: string, method: string): string {
  const [place, name] = [path, method].map((part) =>
    part.replaceAll(/[^A-Za-z0-9-]+/g, '_').replaceAll(/^_|_$/g, '')
  )

  return `${shortenPlace(place as string, MAX_NAME - 1 - (name as string).length)}_${name}`.slice(0, MAX_NAME)
}

/** The first word of a path, which may be a version, and its last words, by which a nested service is told from others. */
function shortenPlace(place: string, limit: number): string {
  if (place.length <= limit) return place

  const [first = '', ...others] = place.split('_')
  const room = limit - first.length - 1
  const fitting = others.findIndex((_, index) => others.slice(index).join('_').length <= room)

  return fitting === -1 ? place.slice(0, Math.max(limit, 0)) : [first, ...others.slice(fitting)].join('_')
}

/**
 * Whether a caller may call a tool. Only roles can be checked without the arguments of a call. Callers without a login see the
 * tools for which they would have to log in.
 */
export async function isListed(app: Application, tool: MethodTool, caller: Caller): Promise<boolean> {
  if (caller.isAnonymous || !tool.who.startsWith('role(')) return true

  const { service, path, method } = tool
  const context = { app, service, path, method, params: caller.params } as HookContext
  const admit = getServiceOptions(service).access?.admit?.(method) as
    | ((context: HookContext) => unknown)
    | undefined

  try {
    await admit?.(context)

    return true
  } catch {
    return false
  }
}

function toMethodTool(
  app: Application,
  service: ManifestService,
  method: ManifestMethod,
  schemas: Schemas,
  { confirm }: McpOptions
): MethodTool {
  const args = toToolArguments(service, method, schemas)
  const { envelope } = service.definition ?? {}
  const name = toToolName(service.path, method.name)
  const isNamed = [method.name, name].some((one) => (confirm || []).includes(one))

  return {
    service: app.service(service.path),
    path: service.path,
    method: method.name,
    who: method.who,
    args,
    several: method.several,
    asks: confirm === false ? 'never' : isNamed || method.name === 'remove' ? 'always' : 'several',
    many: envelope?.many,
    wrappers: envelope?.request ? [envelope.one, envelope.many].filter(isString) : [],
    tool: {
      name,
      description: describe(service, method),
      inputSchema: args.schema as Tool['inputSchema'],
      annotations: toAnnotations(method)
    }
  }
}

const VERBS: { readonly [method: string]: string } = {
  find: 'Finds records of',
  get: 'Gets a record of',
  create: 'Makes a record of',
  update: 'Replaces a record of',
  patch: 'Changes fields of a record of',
  remove: 'Removes a record of'
}

/** In the words of the schema: of the record for what finds and makes records, of the data for a custom method. */
function describe({ path, definition }: ManifestService, { name, who }: ManifestMethod): string {
  const own = definition && getMethodDefinition(definition, name)
  const words = isStandardMethod(name)
    ? ['find', 'create'].includes(name) && definition?.record.description
    : (own?.data?.description ?? own?.result?.description)
  const verb = isStandardMethod(name) ? VERBS[name] : `Calls ${name} of`

  return [`${verb} ${path}.`, words, `For ${describeWho(who)}.`].filter(Boolean).join(' ')
}

/** Those that are as clients expect are left out, but for the one that matters most. */
function toAnnotations({ name, routes }: ManifestMethod): NonNullable<Tool['annotations']> {
  const isRead = name === 'find' || name === 'get' || routes[0]?.verb === 'GET'

  if (isRead) return { readOnlyHint: true, openWorldHint: false }

  return {
    destructiveHint: name !== 'create',
    ...(['update', 'patch', 'remove'].includes(name) && { idempotentHint: true }),
    openWorldHint: false
  }
}

/** A name that is misspelt would leave out a service, or have a method not ask. */
function assertNames(
  app: Application,
  { services = [], confirm }: McpOptions,
  tools: readonly MethodTool[]
): void {
  const paths = Object.keys(app.services)
  const names = tools.flatMap(({ method, tool }) => [method, tool.name])
  const service = services.find((path) => !paths.includes(path))
  const method = (confirm || []).find((name) => !names.includes(name))

  if (service !== undefined) {
    throw createError(
      'ALULA_INVALID_OPTION',
      `Invalid option 'services' of mcp(): the application has no service '${service}'${didYouMean(service, paths)}`
    )
  }
  if (method !== undefined) {
    throw createError(
      'ALULA_INVALID_OPTION',
      `Invalid option 'confirm' of mcp(): there is no tool of a method '${method}'${didYouMean(method, names)}`
    )
  }
}

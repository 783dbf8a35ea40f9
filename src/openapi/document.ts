import { assertApplication } from '../core/assert-application.ts'
import { getErrorStatus } from '../core/error-status.ts'
import { getInternals, warnOnce } from '../core/internals.ts'
import type { Application } from '../core/types.ts'
import { readLogin } from '../manifest/login.ts'
import { type ManifestService, readOpenServices, readRelatedServices } from '../manifest/services.ts'
import { isObject, isString } from '../utils/check.ts'
import { assertOptions, type OptionChecks } from '../utils/options.ts'
import { createFilters } from './filters.ts'
import { Names, type ServiceNames, toServiceNames } from './names.ts'
import { addOperations, type PathItems } from './operations.ts'
import { toErrorResponses } from './responses.ts'
import { Schemas } from './schemas.ts'
import { type Guard, nameSchemes, toGuard, toSecuritySchemes } from './security.ts'
import type { OpenApiDocument, OpenApiOperation, OpenApiOptions } from './types.ts'

/** What the options of {@link toOpenApi} may be. */
export const DOCUMENT_CHECKS: OptionChecks = {
  info: [
    (info) => isObject(info) && isString(info.title) && isString(info.version),
    'an object with title and version'
  ],
  servers: [
    (servers) =>
      Array.isArray(servers) &&
      servers.length > 0 &&
      servers.every((server) => isObject(server) && isString(server.url)),
    'an array of objects with a url'
  ]
}

const INFO = { title: 'API', version: '1.0.0' }

/**
 * Describes what clients can call, as a document of OpenAPI 3.1: it is read off the services as they are at this
 * moment. What clients cannot call is not in it, and neither is what is hidden.
 *
 * @param app An application, set up
 * @param options The title and the version of the API, and its addresses
 * @throws TypeError for an object that is not an application, and for options that are not valid
 * @example
 * toOpenApi(app, { info: { title: 'Notes', version: '1.0.0' }, servers: [{ url: 'https://example.com/api' }] })
 */
export function toOpenApi(app: Application, options: OpenApiOptions = {}): OpenApiDocument {
  assertApplication('toOpenApi', app)
  assertOptions('toOpenApi', options, DOCUMENT_CHECKS)

  const { info = INFO, servers = [{ url: '.' }] } = options
  const services = readOpenServices(app)
  const login = readLogin(app)
  const securitySchemes = nameSchemes(login)
  const unknown: string[] = []
  const paths: PathItems = new Map()
  const operationIds = new Names()
  const { schemas, names, related } = readSchemas(app, services, (path) => unknown.push(path))

  const toFilters = createFilters(schemas)
  const toStatus = (name: string) => getErrorStatus(app, name)

  for (const service of services) {
    addOperations(paths, service, {
      login,
      securitySchemes,
      operationIds,
      toStatus,
      names: names.get(service.path) as ServiceNames,
      schemas: schemas.of(service),
      sources: {
        findRelated: (path) => schemas.findRelated(path),
        findParent: (path) => services.find((one) => one.path === path),
        hidden: schemas.of(service).hidden,
        toFilters
      }
    })
  }

  // Whether a function asks for credentials is not known.
  addMounts(paths, app, toGuard('', securitySchemes), operationIds)

  // Their records are in those of others.
  for (const service of related) schemas.of(service)

  if (unknown.length > 0) warnOfUnknown(app, unknown)

  return {
    openapi: '3.1.1',
    info,
    servers,
    tags: services.map(({ path }) => ({ name: path })),
    paths: toObject([...paths.values()].map(({ path, operations }) => [path, operations])),
    components: {
      schemas: toObject(schemas.all),
      responses: toErrorResponses(),
      securitySchemes: toSecuritySchemes(securitySchemes)
    }
  }
}

/** Adds what is said of the functions that are mounted in an application. */
function addMounts(paths: PathItems, app: Application, { security }: Guard, operationIds: Names): void {
  for (const [path, { operations = {} }] of getInternals(app).mounts) {
    const described = (Object.entries(operations) as [string, Partial<OpenApiOperation>][]).map(
      ([verb, { operationId, ...operation }]) => [
        verb,
        {
          security,
          ...operation,
          ...(operationId !== undefined && { operationId: operationIds.take(operationId) })
        }
      ]
    )

    if (described.length > 0)
      paths.set(path, { path, placeholders: [], operations: Object.fromEntries(described) })
  }
}

/**
 * Describes what the services of an application take and return: the schemas, the names of the services by path, and the
 * services that clients reach through relations alone.
 */
export function readSchemas(
  app: Application,
  services: readonly ManifestService[],
  onUnknown: (path: string) => void
): {
  schemas: Schemas
  names: ReadonlyMap<string, ServiceNames>
  related: readonly ManifestService[]
} {
  const related = readRelatedServices(app, services)
  const described = [...services, ...related]
  const names = new Map(described.map(({ path }) => [path, toServiceNames(path)]))
  const schemas = new Schemas(described, {
    names,
    hasOwnErrors: typeof app.get?.('formatError') === 'function',
    onUnknown
  })

  return { schemas, names, related }
}

function warnOfUnknown(app: Application, fields: readonly string[]): void {
  warnOnce(
    app,
    'ALULA_OPENAPI',
    `The document says nothing of what these fields hold, because their schemas cannot be described as JSON Schema: ${fields.join(', ')}`
  )
}

/** Does what `Object.fromEntries` does, which takes ten times as long for a thousand names. */
function toObject<Value>(entries: Iterable<readonly [name: string, value: Value]>): {
  [name: string]: Value
} {
  const object: { [name: string]: Value } = {}

  for (const [name, value] of entries) object[name] = value

  return object
}

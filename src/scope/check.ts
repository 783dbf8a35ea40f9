// What is wrong with parents is said when the application starts: later, every call would be a 404.
import { listPlaceholders } from '../core/method-routes.ts'
import { getServiceOptions } from '../core/service.ts'
import type { Application, FeathersService, Parent } from '../core/types.ts'
import { listDeclared } from '../schema/compile.ts'
import type { DescribedExtension } from '../schema/declared.ts'
import { listStored } from '../schema/stored.ts'
import { isFunction } from '../utils/check.ts'
import { createError } from '../utils/developer-error.ts'
import { didYouMean } from '../utils/did-you-mean.ts'
import { type Parents, toParentError } from './options.ts'

/**
 * Checks that the services of parents are there and have `get`, that the service has the fields, and that relations which lead
 * to it have its placeholders. Throws an Error that names the parent and what it needs.
 */
export async function assertParents(
  service: FeathersService,
  path: string,
  parents: Parents,
  app: Application
): Promise<void> {
  for (const [field, parent] of Object.entries(parents)) {
    assertService(path, field, parent, app)
    assertRelations(path, parent, app)
  }

  await assertFields(service, path, Object.keys(parents))
}

function assertService(path: string, field: string, parent: Parent, { services }: Application): void {
  if (!Object.hasOwn(services, parent.service)) {
    throw createError(
      'ALULA_UNKNOWN_SERVICE',
      `The parent '${field}' of service '${path}' is a record of '${parent.service}', which is not registered${didYouMean(parent.service, Object.keys(services))}`
    )
  }

  const { methods, access, singleton } = getServiceOptions(services[parent.service])
  const missing = listPlaceholders(parent.service).find((name) => !listPlaceholders(path).includes(name))

  if (!isFunction(services[parent.service].get) || !(methods.includes('get') || access)) {
    throw createError(
      'ALULA_UNKNOWN_METHOD',
      `The parent '${field}' of service '${path}' needs the method 'get' of '${parent.service}': list it in 'methods', or give it a rule in 'access'`
    )
  }
  if (singleton) {
    throw toParentError(path, field, `'${parent.service}' is a singleton, whose path names no record`)
  }
  if (missing !== undefined) {
    throw toParentError(
      path,
      field,
      `'${parent.service}' has the placeholder ':${missing}', which the path lacks`
    )
  }
}

/** The call that a relation makes has the placeholders of the service that has the relation: they have to name the same record. */
function assertRelations(path: string, parent: Parent, { services }: Application): void {
  for (const [other, service] of Object.entries(services as { [path: string]: object })) {
    const { schema, parent: parents = {} } = getServiceOptions(service) ?? {}
    const { relations = {} } = (schema ?? {}) as Partial<DescribedExtension>
    const name = Object.keys(relations).find((one) => relations[one]?.path === path)

    if (name === undefined || namesParent(other, parents, path, parent)) continue

    throw createError(
      'ALULA_INVALID_RELATION',
      `The relation '${name}' of service '${other}' leads to '${path}', whose calls name a record of '${parent.service}' by ':${parent.placeholder}': register the records at a second path, with 'methods: []' and a rule for 'find', and lead to that`
    )
  }
}

/** Whether the path of another service names the parent: by a parent of its own, or because it begins in the same way. */
function namesParent(
  other: string,
  parents: Parents,
  path: string,
  { service, placeholder }: Parent
): boolean {
  const own = Object.values(parents).find((one) => one.placeholder === placeholder)

  if (own) return own.service === service

  const [start, otherStart] = [path, other].map((one) => toStart(one, placeholder))

  return otherStart !== undefined && otherStart === start
}

/** A path until a placeholder; `undefined` without it. */
function toStart(path: string, placeholder: string): string | undefined {
  const segments = path.split('/')
  const index = segments.indexOf(`:${placeholder}`)

  return index < 0 ? undefined : segments.slice(0, index).join('/')
}

async function assertFields(
  service: FeathersService,
  path: string,
  fields: readonly string[]
): Promise<void> {
  const declared = listDeclared(service)
  const names = declared ?? (fields.length > 0 ? await listStored(service) : undefined)
  const unknown = names && fields.find((field) => !names.includes(field))

  if (unknown === undefined) return

  throw createError(
    'ALULA_UNKNOWN_FIELD',
    `The parent '${unknown}' of service '${path}' is no field of its ${declared ? 'schema' : 'table'}${didYouMean(unknown, names ?? [])}`
  )
}

import { isStandardMethod } from '../core/methods.ts'
import type { ManifestMethod, ManifestService } from '../manifest/services.ts'
import { getMethodDefinition, type SchemaDefinition } from '../schema/compile.ts'
import { getProperties, isJsonSchema, type JsonSchema, UNDESCRIBED_KEYWORD } from '../schema/json-schema.ts'
import { isCountRelation, type Relation } from '../schema/relation.ts'
import { copyWith, isEmpty, setOwn } from '../utils/object.ts'
import { convertSchema, isAnything, type SchemaStore, toShape } from './convert.ts'
import { Names, type ServiceNames, toPascal } from './names.ts'
import { ERROR } from './responses.ts'

/** The schemas of a document. */
export interface Schemas extends SchemaStore {
  /** By name. */
  readonly all: ReadonlyMap<string, JsonSchema>
  of(service: ManifestService): ServiceSchemas
  /** The service of a relation, where clients may find its records. */
  findRelated(path: string): ManifestService | undefined
}

/** What calls of a service take and return. */
export interface ServiceSchemas {
  /** A record as clients get it; anything for a service without a schema. */
  readonly record: JsonSchema
  /** What `find` returns. */
  readonly page: JsonSchema
  /** The fields that clients never get, and cannot query. */
  readonly hidden: readonly string[]
  /** The data of a method; `undefined` where it is not known. */
  toData(method: string): JsonSchema | undefined
  /** The result of a custom method; `undefined` where it is not known. */
  toResult(method: string): JsonSchema | undefined
}

/** What {@link createSchemas} needs to know. */
export interface SchemaSettings {
  /** The names of the services, by path. */
  readonly names: ReadonlyMap<string, ServiceNames>
  /** Whether the application decides what errors look like. */
  readonly hasOwnErrors: boolean
  /** Is told of a field that cannot be described. */
  readonly onUnknown: (path: string) => void
}

const ANYTHING: JsonSchema = {}

/**
 * Makes the schemas of services.
 *
 * @param services The services that clients may call
 * @param settings What else is known
 */
export function createSchemas(services: readonly ManifestService[], settings: SchemaSettings): Schemas {
  const { names: serviceNames, hasOwnErrors, onUnknown } = settings
  const all = new Map<string, JsonSchema>([['Error', hasOwnErrors ? { type: 'object' } : ERROR]])
  const names = new Names(['Error'])
  const byPath = new Map(services.map((service) => [service.path, service]))
  // Before the schemas, because they refer to those of other services.
  const records = new Map(
    services
      .filter(({ definition }) => definition)
      .map(({ path }) => [path, names.take((serviceNames.get(path) as ServiceNames).one)])
  )
  const known = new Map<ManifestService, ServiceSchemas>()
  const schemas: Schemas = { all, add, of, findRelated }

  return schemas

  function add(wanted: string, toSchema: (reference: JsonSchema) => JsonSchema): JsonSchema {
    return fill(names.take(wanted), toSchema)
  }

  function fill(name: string, toSchema: (reference: JsonSchema) => JsonSchema): JsonSchema {
    const reference = { $ref: `#/components/schemas/${name}` }

    // The place in the order of the document, before those that it refers to.
    all.set(name, ANYTHING)
    all.set(name, toSchema(reference))

    return reference
  }

  function findRelated(path: string): ManifestService | undefined {
    const service = byPath.get(path)

    return service && hasFind(service) ? service : undefined
  }

  function of(service: ManifestService): ServiceSchemas {
    const made = known.get(service) ?? create(service)

    known.set(service, made)

    return made
  }

  function create(service: ManifestService): ServiceSchemas {
    const { definition, path } = service
    const name = records.get(path)
    const hidden = listHidden(service)

    if (!definition || name === undefined) {
      return {
        record: ANYTHING,
        page: service.page ? toPage(service, ANYTHING) : ANYTHING,
        hidden,
        toData: () => undefined,
        toResult: () => undefined
      }
    }

    const convert = (
      kind: 'record' | 'data' | 'result',
      schema: JsonSchema,
      schemaName: string,
      part: string,
      self: JsonSchema
    ): JsonSchema =>
      convertSchema(schema, {
        name: schemaName,
        store: { add },
        self,
        hidden: kind === 'record' ? hidden : [],
        hiddenEverywhere: kind === 'result' ? definition.hidden : [],
        isOutput: kind !== 'data',
        isClosed: kind !== 'data' || definition.unknown !== 'drop',
        keepsExtra: kind === 'record' && definition.extra === 'keep',
        onUnknown: (field) => onUnknown([part, field].filter(Boolean).join('.'))
      })
    const record = definition.hasView
      ? ANYTHING
      : fill(name, (self) =>
          completeRecord(convert('record', definition.record, name, path, self), service, definition, hidden)
        )
    const describe = (kind: 'data' | 'result', wanted: string, part: string, schema: JsonSchema) =>
      add(wanted, (self) => convert(kind, schema, wanted, part, self))
    const data = new Map<string, JsonSchema>()
    const shared = new Map<string, JsonSchema>()

    for (const [method, schema] of Object.entries(definition.data)) {
      if (!service.methods.some((one) => one.name === method)) continue

      // The same as for new records, unless it is written.
      const isSame = method === 'update' && isSameSchema(schema, definition.data.create)
      const wanted = `${name}${isSame ? 'Create' : toPascal(method)}`
      const reference = shared.get(wanted) ?? describe('data', wanted, `${path}.${method}`, schema)

      shared.set(wanted, reference)
      data.set(method, reference)
    }

    const results = new Map<string, JsonSchema>()

    for (const { name: method } of service.methods) {
      if (isStandardMethod(method)) continue

      const { data: taken, result } = getMethodDefinition(definition, method) ?? {}
      const wanted = name + toPascal(method)

      if (taken) data.set(method, describe('data', wanted, `${path}.${method}`, taken))
      if (result && !definition.hasView) {
        results.set(method, describe('result', `${wanted}Result`, `${path}.${method}`, result))
      }
    }

    return {
      record,
      page: definition.hasView ? ANYTHING : toFound(service, name, record),
      hidden,
      toData: (method) => data.get(method),
      toResult: (method) => results.get(method)
    }
  }

  /** Completes the schema of a record: results have more fields than a schema declares, and the server sets some. */
  function completeRecord(
    converted: JsonSchema,
    service: ManifestService,
    { record, server = [], computed = [], resolved = [], relations }: SchemaDefinition,
    hidden: readonly string[]
  ): JsonSchema {
    const { path, id } = service
    const fields: { [name: string]: JsonSchema } = {}

    for (const field of computed) {
      if (!getProperties(toShape(record)).has(field)) setOwn(fields, field, ANYTHING)
    }
    for (const field of resolved) if (!hidden.includes(field)) setOwn(fields, field, ANYTHING)
    for (const name of Object.keys(relations)) {
      const related = toRelated(relations[name] as Relation)

      if (related) setOwn(fields, name, related)
    }

    getProperties(converted).forEach((property, field) => {
      const isUndescribed = getProperties(toShape(record)).get(field)?.[UNDESCRIBED_KEYWORD] === true

      if (isUndescribed && isAnything(property) && !computed.includes(field)) onUnknown(`${path}.${field}`)
    })

    const optional = [...resolved, ...listSometimesProtected(service, hidden)]

    return markReadOnly(addFields(converted, fields, optional), [id, ...server, ...computed])
  }

  function toRelated(relation: Relation): JsonSchema | undefined {
    const related = findRelated(relation.path)

    if (!related) return undefined
    if (isCountRelation(relation))
      return relation.kind === 'count' ? { type: 'integer', minimum: 0 } : { type: 'boolean' }

    // An included record leaves as its service shows records, without what it makes of responses.
    const name = related.definition?.hasView ? undefined : records.get(related.path)
    const record: JsonSchema = name === undefined ? ANYTHING : { $ref: `#/components/schemas/${name}` }

    return relation.kind === 'one' ? { anyOf: [record, { type: 'null' }] } : { type: 'array', items: record }
  }

  function toFound(service: ManifestService, name: string, record: JsonSchema): JsonSchema {
    const list = { type: 'array', items: record }

    if (!service.isStored) return { anyOf: [list, add(`${name}Page`, () => toPage(service, record))] }

    return service.page ? add(`${name}Page`, () => toPage(service, record)) : list
  }
}

/** Most services have one schema for both. Two that are written alike are the same in a document. */
function isSameSchema(schema: JsonSchema, other: JsonSchema | undefined): boolean {
  return schema === other || JSON.stringify(schema) === JSON.stringify(other)
}

function toPage({ page, isStored }: ManifestService, record: JsonSchema): JsonSchema {
  const data = { type: 'array', items: record }
  const required = ['limit', 'skip', 'data']

  if (isStored && page?.hasTotal === false) {
    return { type: 'object', required, properties: { limit: INTEGER, skip: INTEGER, data } }
  }

  return {
    type: 'object',
    required: isStored ? ['total', ...required] : required,
    properties: { total: INTEGER, limit: INTEGER, skip: INTEGER, data }
  }
}

const INTEGER: JsonSchema = Object.freeze({ type: 'integer' })

/** Whether clients may find the records of a service. */
export function hasFind({ methods }: ManifestService): boolean {
  return methods.some(({ name }) => name === 'find')
}

/** The paths of the fields that no method shows. */
export function listHidden({ definition, methods }: ManifestService): readonly string[] {
  const [first, ...others] = methods.filter(isShowing)
  const always =
    first?.protects.filter((path) => others.every(({ protects }) => protects.includes(path))) ?? []

  return [...new Set([...(definition?.hidden ?? []), ...always])]
}

/** What some methods show and others do not. */
function listSometimesProtected({ methods }: ManifestService, hidden: readonly string[]): readonly string[] {
  return methods.flatMap(({ protects }) => protects).filter((path) => !hidden.includes(path))
}

function isShowing({ name }: ManifestMethod): boolean {
  return isStandardMethod(name)
}

/** Adds fields to a record, or to each kind of record that there is; some that it has are not always there. */
function addFields(
  schema: JsonSchema,
  fields: { readonly [name: string]: JsonSchema },
  optional: readonly string[]
): JsonSchema {
  if (isEmpty(fields) && optional.length === 0) return schema

  for (const keyword of ['anyOf', 'oneOf']) {
    const choices = schema[keyword]

    if (Array.isArray(choices)) {
      return { ...schema, [keyword]: choices.map((choice) => addFields(choice, fields, optional)) }
    }
  }

  const { properties, required } = schema

  if (!isJsonSchema(properties)) return schema

  return {
    ...schema,
    properties: copyWith(properties, fields),
    ...(Array.isArray(required) && { required: required.filter((name) => !optional.includes(name)) })
  }
}

function markReadOnly(schema: JsonSchema, names: readonly string[]): JsonSchema {
  const { properties } = schema

  if (!isJsonSchema(properties)) return schema

  const marked = copyWith(properties)

  for (const name of names) {
    if (Object.hasOwn(properties, name)) {
      setOwn(marked, name, copyWith(properties[name] as JsonSchema, { readOnly: true }))
    }
  }

  return { ...schema, properties: marked }
}

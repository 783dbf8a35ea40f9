import { isStandardMethod } from '../core/methods.ts'
import type { ManifestMethod, ManifestService } from '../manifest/services.ts'
import { getMethodDefinition, type SchemaDefinition } from '../schema/compile.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { convertSchema, type SchemaStore } from './convert.ts'
import { toPascal } from './names.ts'
import { ANYTHING, completeRecord, type RecordStore } from './record-schema.ts'

/** What calls of a service take and return. */
export interface ServiceSchemas {
  /** A record as clients get it; anything for a service without a schema. */
  readonly record: JsonSchema
  /** What `find` returns. */
  readonly page: JsonSchema
  /** The fields that clients never get, and cannot query. */
  readonly hidden: readonly string[]
  /** The data of methods, as far as it is known. */
  readonly data: ReadonlyMap<string, JsonSchema>
  /** The results of custom methods, as far as they are known. */
  readonly results: ReadonlyMap<string, JsonSchema>
}

/** The document that the schemas of a service are kept in. */
export interface DocumentStore extends SchemaStore, RecordStore {
  /** Keeps a schema as {@link SchemaStore.add} does, under a name that was taken for it. */
  fill(name: string, toSchema: (reference: JsonSchema) => JsonSchema): JsonSchema
}

/**
 * Makes the schemas of a service.
 *
 * @param service The service
 * @param name The name that was taken for the schema of its record, if it has one
 * @param document The document that they are kept in
 */
export function toServiceSchemas(
  service: ManifestService,
  name: string | undefined,
  document: DocumentStore
): ServiceSchemas {
  const { definition, page } = service
  const hidden = listHidden(service)

  if (definition && name !== undefined) return new Declared(service, definition, name, hidden, document).add()

  return {
    record: ANYTHING,
    page: page ? toPage(service, ANYTHING) : ANYTHING,
    hidden,
    data: new Map(),
    results: new Map()
  }
}

type SchemaKind = 'record' | 'data' | 'result'

/** A service that declares a schema. */
class Declared {
  private readonly service: ManifestService
  private readonly definition: SchemaDefinition
  private readonly name: string
  private readonly hidden: readonly string[]
  private readonly document: DocumentStore

  constructor(
    service: ManifestService,
    definition: SchemaDefinition,
    name: string,
    hidden: readonly string[],
    document: DocumentStore
  ) {
    this.service = service
    this.definition = definition
    this.name = name
    this.hidden = hidden
    this.document = document
  }

  /** Adds its schemas to the document. */
  add(): ServiceSchemas {
    const { hidden } = this
    const { hasView } = this.definition
    const record = hasView ? ANYTHING : this.addRecord()
    const data = this.addData()
    const results = this.addCustom(data)

    return { record, page: hasView ? ANYTHING : this.addPage(record), hidden, data, results }
  }

  private addRecord(): JsonSchema {
    const { service, definition, name, hidden, document } = this

    return document.fill(name, (self) => {
      const converted = this.convert('record', definition.record, name, service.path, self)

      return completeRecord(converted, service, definition, hidden, document)
    })
  }

  /** Adds the data of standard methods. */
  private addData(): Map<string, JsonSchema> {
    const { service, definition, name } = this
    const data = new Map<string, JsonSchema>()

    for (const [method, schema] of Object.entries(definition.data)) {
      if (!service.methods.some((one) => one.name === method)) continue

      // The same as for new records, unless it is written.
      const isSame = method === 'update' && isSameSchema(schema, definition.data.create)
      const known = isSame ? data.get('create') : undefined
      const wanted = name + toPascal(isSame ? 'create' : method)

      data.set(method, known ?? this.addSchema('data', wanted, method, schema))
    }

    return data
  }

  /** Adds what custom methods take and return; their data beside that of the others. */
  private addCustom(data: Map<string, JsonSchema>): ReadonlyMap<string, JsonSchema> {
    const { service, definition } = this
    const results = new Map<string, JsonSchema>()

    for (const { name: method } of service.methods) {
      if (isStandardMethod(method)) continue

      const { data: taken, result } = getMethodDefinition(definition, method) ?? {}
      const name = this.name + toPascal(method)

      if (taken) data.set(method, this.addSchema('data', name, method, taken))
      if (result && !definition.hasView) {
        results.set(method, this.addSchema('result', `${name}Result`, method, result))
      }
    }

    return results
  }

  private addPage(record: JsonSchema): JsonSchema {
    const { service, document } = this
    const list = { type: 'array', items: record }
    const add = () => document.add(`${this.name}Page`, () => toPage(service, record))

    if (!service.isStored) return { anyOf: [list, add()] }

    return service.page ? add() : list
  }

  private addSchema(kind: SchemaKind, name: string, method: string, schema: JsonSchema): JsonSchema {
    const part = `${this.service.path}.${method}`

    return this.document.add(name, (self) => this.convert(kind, schema, name, part, self))
  }

  private convert(
    kind: SchemaKind,
    schema: JsonSchema,
    name: string,
    part: string,
    self: JsonSchema
  ): JsonSchema {
    const { definition, hidden, document } = this

    return convertSchema(schema, {
      name,
      store: document,
      self,
      hidden: kind === 'record' ? hidden : [],
      hiddenEverywhere: kind === 'result' ? definition.hidden : [],
      isOutput: kind !== 'data',
      isClosed: kind !== 'data' || definition.unknown !== 'drop',
      keepsExtra: kind === 'record' && definition.extra === 'keep',
      onUnknown: (field) => document.onUnknown([part, field].filter(Boolean).join('.'))
    })
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

/** The paths of the fields that no method shows. */
export function listHidden({ definition, methods }: ManifestService): readonly string[] {
  const [first, ...others] = methods.filter(isShowing)
  const always =
    first?.protects.filter((path) => others.every(({ protects }) => protects.includes(path))) ?? []

  return [...new Set([...(definition?.hidden ?? []), ...always])]
}

function isShowing({ name }: ManifestMethod): boolean {
  return isStandardMethod(name)
}

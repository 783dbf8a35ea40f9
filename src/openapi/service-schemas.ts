import { isStandardMethod } from '../core/methods.ts'
import type { ManifestService } from '../manifest/services.ts'
import { getMethodDefinition, returnsRecords, type SchemaDefinition } from '../schema/compile.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { toResultKind } from '../schema/result-kind.ts'
import { convertSchema, type SchemaStore } from './convert.ts'
import { renamePage, toListResponse, toOneResponse, toPageResponse } from './envelopes.ts'
import { toPascal } from './names.ts'
import { ANYTHING, completeRecord, type RecordStore } from './record-schema.ts'

/** What calls of a service take and return. */
export interface ServiceSchemas {
  /** What responses with a record are; anything for a service without a schema. */
  readonly one: JsonSchema
  /** What responses with several are. */
  readonly list: JsonSchema
  /** What responses of `find` are. */
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

/** Makes the schemas of a service; `name` was taken for the schema of its record, if it has one. */
export function toServiceSchemas(
  service: ManifestService,
  name: string | undefined,
  document: DocumentStore
): ServiceSchemas {
  const { definition, page } = service
  const hidden = listHidden(service)

  if (definition && name !== undefined) return new Declared(service, definition, name, hidden, document).add()

  return {
    one: ANYTHING,
    list: toListResponse(ANYTHING),
    page: page ? toPageResponse(service, ANYTHING) : ANYTHING,
    hidden,
    data: new Map(),
    results: new Map()
  }
}

/** What the document says of a view that does not say what it makes. */
const UNDESCRIBED_VIEW: JsonSchema = Object.freeze({
  description: 'Made by the application, which does not describe it'
})

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
    const { hasView, envelope } = this.definition
    // What a view makes of responses is not made of related records and of events.
    const record = this.addRecord()
    const data = this.addData()
    const results = this.addCustom(data, record)
    // What is found through relations alone has no responses.
    const isCalled = this.service.methods.length > 0

    if (hasView && isCalled) {
      const view = this.addView()

      return { one: view, list: view, page: view, hidden, data, results }
    }

    return {
      one: toOneResponse(record, envelope),
      list: toListResponse(record, envelope),
      page: isCalled ? this.addPage(record) : ANYTHING,
      hidden,
      data,
      results
    }
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
  private addCustom(data: Map<string, JsonSchema>, record: JsonSchema): ReadonlyMap<string, JsonSchema> {
    const { service, definition } = this
    const results = new Map<string, JsonSchema>()

    for (const { name: method } of service.methods) {
      if (isStandardMethod(method)) continue

      const { data: taken, result } = getMethodDefinition(definition, method) ?? {}
      const name = this.name + toPascal(method)

      // `upsert` takes what `create` takes.
      const known = taken === definition.data.create ? data.get('create') : undefined

      if (taken) data.set(method, known ?? this.addSchema('data', name, method, taken))
      if (result && !definition.hasView) {
        const response = returnsRecords(definition, method)
          ? toOneResponse(record, definition.envelope)
          : this.addResult(`${name}Result`, method, result)

        if (response) results.set(method, response)
      }
    }

    return results
  }

  /** What a custom method responds with; `undefined` where its envelope is not known. */
  private addResult(name: string, method: string, result: JsonSchema): JsonSchema | undefined {
    const { envelope } = this.definition

    if (!envelope) return this.addSchema('result', name, method, result)

    const { many } = envelope
    const kind = toResultKind(result)

    if (kind === 'unknown') return undefined
    if (kind === 'page' && many !== undefined) {
      return this.addSchema('result', name, method, renamePage(result, envelope))
    }

    const added = this.addSchema('result', name, method, result)

    if (kind === 'one') return toOneResponse(added, envelope)

    return kind === 'list' && many !== undefined ? toOneResponse(added, { one: many }) : added
  }

  private addView(): JsonSchema {
    const { view } = this.definition

    return view ? this.addSchema('result', `${this.name}View`, 'view', view) : UNDESCRIBED_VIEW
  }

  private addPage(record: JsonSchema): JsonSchema {
    const { service, document, definition } = this
    const list = toListResponse(record, definition.envelope)
    const add = () => document.add(`${this.name}Page`, () => toPageResponse(service, record))

    if (!service.isStored) return definition.envelope?.many === undefined ? { anyOf: [list, add()] } : add()

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
      isRecord: kind === 'record',
      hidden: kind === 'record' ? hidden : [],
      optional: kind === 'record' ? listSometimesProtected(this.service, hidden) : [],
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

/** What some methods show and others do not. */
function listSometimesProtected(service: ManifestService, hidden: readonly string[]): readonly string[] {
  return [service, ...service.methods]
    .flatMap(({ protects }) => protects)
    .filter((path) => !hidden.includes(path))
}

/** The paths of the fields that no method shows; without a standard method, relations show what `find` returns. */
export function listHidden({ definition, methods, protects }: ManifestService): readonly string[] {
  const [first = { protects }, ...others] = methods.filter(({ name }) => isStandardMethod(name))
  const always = first.protects.filter((path) => others.every(({ protects }) => protects.includes(path)))

  return [...new Set([...(definition?.hidden ?? []), ...always])]
}

import type { ManifestService } from '../manifest/services.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { isCountRelation, type Relation } from '../schema/relation.ts'
import { Names, type ServiceNames } from './names.ts'
import { ANYTHING } from './record-schema.ts'
import { ERROR } from './responses.ts'
import { type DocumentStore, type ServiceSchemas, toServiceSchemas } from './service-schemas.ts'

/** What {@link Schemas} need to know. */
export interface SchemaSettings {
  /** The names of the services, by path. */
  readonly names: ReadonlyMap<string, ServiceNames>
  /** Whether the application decides what errors look like. */
  readonly hasOwnErrors: boolean
  /** Is told of a field that cannot be described. */
  readonly onUnknown: (path: string) => void
}

/** The schemas of a document. */
export class Schemas implements DocumentStore {
  /** By name. */
  readonly all: Map<string, JsonSchema>
  readonly onUnknown: (path: string) => void

  private readonly names = new Names()
  private readonly services: ReadonlyMap<string, ManifestService>
  /** The names of the schemas of records, by the paths of services: schemas of other services refer to them. */
  private readonly records: ReadonlyMap<string, string>
  private readonly made = new Map<ManifestService, ServiceSchemas>()

  /** @param services The services that clients may call, and those that relations lead to */
  constructor(services: readonly ManifestService[], { names, hasOwnErrors, onUnknown }: SchemaSettings) {
    this.all = new Map([['Error', hasOwnErrors ? { type: 'object' } : ERROR]])
    this.onUnknown = onUnknown
    this.names.take('Error')
    this.services = new Map(services.map((service) => [service.path, service]))
    this.records = new Map(
      services
        .filter(({ definition }) => definition)
        .map(({ path }) => [path, this.names.take((names.get(path) as ServiceNames).one)])
    )
  }

  /** What calls of a service take and return. */
  of(service: ManifestService): ServiceSchemas {
    const made = this.made.get(service) ?? toServiceSchemas(service, this.records.get(service.path), this)

    this.made.set(service, made)

    return made
  }

  add(wanted: string, toSchema: (reference: JsonSchema) => JsonSchema): JsonSchema {
    return this.fill(this.names.take(wanted), toSchema)
  }

  fill(name: string, toSchema: (reference: JsonSchema) => JsonSchema): JsonSchema {
    const reference = { $ref: `#/components/schemas/${name}` }

    // The place in the order of the document, before those that it refers to.
    this.all.set(name, ANYTHING)
    this.all.set(name, toSchema(reference))

    return reference
  }

  /** The service of a relation, where clients may find its records. */
  findRelated(path: string): ManifestService | undefined {
    const service = this.services.get(path)

    return service?.isFound ? service : undefined
  }

  describeRelated(relation: Relation): JsonSchema | undefined {
    const related = this.findRelated(relation.path)

    if (!related) return undefined
    if (isCountRelation(relation))
      return relation.kind === 'count' ? { type: 'integer', minimum: 0 } : { type: 'boolean' }

    const name = this.records.get(related.path)
    const record: JsonSchema = name === undefined ? ANYTHING : { $ref: `#/components/schemas/${name}` }

    if (relation.kind === 'one') return { anyOf: [record, { type: 'null' }] }

    const list: JsonSchema = { type: 'array', items: record }

    return relation.limit === undefined ? list : { ...list, maxItems: relation.limit }
  }
}

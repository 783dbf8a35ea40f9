import type { ManifestService } from '../manifest/services.ts'
import type { SchemaDefinition } from '../schema/compile.ts'
import { getProperties, isJsonSchema, type JsonSchema, UNDESCRIBED_KEYWORD } from '../schema/json-schema.ts'
import type { Relation } from '../schema/relation.ts'
import { readShape } from '../schema/shape.ts'
import { copyWith, isEmpty, setOwn } from '../utils/object.ts'
import { isUndescribed } from './convert.ts'

/** The schema of what is not known. */
export const ANYTHING: JsonSchema = {}

/** What the document says of relations, and gets to know of fields. */
export interface RecordStore {
  /** What a relation adds to a record; `undefined` where clients may not find the related records. */
  describeRelated(relation: Relation): JsonSchema | undefined
  /** Is told of a field that cannot be described. */
  onUnknown(path: string): void
}

/** Completes the schema of a record: results have more fields than a schema declares, and the server sets some. */
export function completeRecord(
  converted: JsonSchema,
  service: ManifestService,
  definition: SchemaDefinition,
  hidden: readonly string[],
  document: RecordStore
): JsonSchema {
  const { record, server = [], computed = [], resolved = [], relations } = definition
  const { path, id } = service
  const { names, fields: declared } = readShape(record).object
  const added: { [name: string]: JsonSchema } = {}

  for (const field of computed) if (!names.has(field)) setOwn(added, field, ANYTHING)
  for (const field of resolved) if (!hidden.includes(field)) setOwn(added, field, ANYTHING)
  for (const name of Object.keys(relations).filter((name) => !hidden.includes(name))) {
    const related = document.describeRelated(relations[name] as Relation)

    if (related) setOwn(added, name, related)
  }
  for (const [field, property] of getProperties(converted)) {
    const lacksWords = declared.get(field)?.schema[UNDESCRIBED_KEYWORD] === true && isUndescribed(property)

    if (lacksWords && !computed.includes(field)) document.onUnknown(`${path}.${field}`)
  }

  return markReadOnly(addFields(converted, added, resolved), [id, ...server, ...computed])
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

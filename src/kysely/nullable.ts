import { getTypes, type JsonSchema } from '../schema/json-schema.ts'

/** Keywords that say what a value is. */
const WHOLE: readonly string[] = ['type', 'const', 'anyOf', 'oneOf', 'allOf', '$ref']

/** Whether a schema says by itself what a value is, and not only more about it. */
export function saysWhole(schema: JsonSchema): boolean {
  return WHOLE.some((keyword) => keyword in schema)
}

/** The same schema for a value that may also be null. */
export function makeNullable(schema: JsonSchema): JsonSchema {
  const types = getTypes(schema)
  const isAnything = [...WHOLE, 'enum', 'not'].every((keyword) => !(keyword in schema))

  if (isAnything || types.includes('null')) return schema

  // Its messages are better than those of a choice.
  const isSimple = [...WHOLE, 'not'].every((keyword) => keyword === 'type' || !(keyword in schema))

  if (!isSimple || types.length === 0 || types.includes('Date')) return { anyOf: [schema, { type: 'null' }] }

  return {
    ...schema,
    type: [...types, 'null'],
    ...(Array.isArray(schema.enum) && { enum: [...schema.enum, null] })
  }
}

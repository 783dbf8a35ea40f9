// Parameters of a query string, by the form that they have in it.
import type { JsonSchema } from '../schema/json-schema.ts'
import type { OpenApiParameter } from './types.ts'

/** One value: `age=30`. */
export function toForm(name: string, schema: JsonSchema, required = false): OpenApiParameter {
  return required ? { name, in: 'query', required, schema } : { name, in: 'query', schema }
}

/** A value, or an object of values: `age[$gt]=30`. */
export function toDeep(name: string, schema: JsonSchema, required = false): OpenApiParameter {
  return required
    ? { name, in: 'query', required, style: 'deepObject', explode: true, schema }
    : { name, in: 'query', style: 'deepObject', explode: true, schema }
}

/** A list: `age[$in][]=30&age[$in][]=40`, as it is without a style. */
export function toList(name: string, items: JsonSchema, required: boolean): OpenApiParameter {
  return toForm(`${name}[]`, toListSchema(items), required)
}

/** The schema of such a list. */
export function toListSchema(items: JsonSchema): JsonSchema {
  return { type: 'array', items, minItems: 1 }
}

import { toAlternatives } from '../schema/alternatives.ts'
import { getProperties, type JsonSchema } from '../schema/json-schema.ts'
import { convertSchema, INLINE } from './convert.ts'
import { toDeep, toForm, toList } from './parameter-forms.ts'
import type { OpenApiParameter } from './types.ts'

/**
 * The parameters of a query that is described by a schema of its own.
 *
 * @param query The schema
 * @param hidden The fields that it must not name
 */
export function toQueryParameters(
  query: JsonSchema,
  hidden: readonly string[] = []
): readonly OpenApiParameter[] {
  const parts = toAlternatives(query, query)
  const properties = new Map(parts.flatMap((part) => [...getProperties(part)]))
  const isRequired = (name: string) =>
    parts.every(({ required }) => Array.isArray(required) && required.includes(name))

  return [...properties].flatMap(([name, schema]) => {
    if (hidden.includes(name) || UNDESCRIBED.includes(name) || /[[\]]/.test(name)) return []

    return toOwnParameters(name, schema, query, isRequired(name))
  })
}

/** `$select` changes what a response has; the others have no form that a client could be made for. */
const UNDESCRIBED: readonly string[] = ['$select', '$and', '$or', '$nor', '$not']

function toOwnParameters(
  name: string,
  schema: JsonSchema,
  root: JsonSchema,
  required: boolean
): readonly OpenApiParameter[] {
  const parts = toAlternatives(schema, root)
  const lists = parts.filter(({ type }) => type === 'array')
  const objects = parts.filter((part) => getProperties(part).size > 0)
  const scalars = parts.filter((part) => !lists.includes(part) && !objects.includes(part)).map(toPlain)
  const properties = objects.flatMap((part) => [...getProperties(part)])
  const inLists = properties.flatMap(([key, part]) => listsOf(`${name}[${key}]`, part, root))
  const single = properties.filter(([, part]) => toAlternatives(part, root).some(isSingle))
  const choices = {
    type: 'object',
    properties: Object.fromEntries(single.map(([key, part]) => [key, toPlain(part)])),
    additionalProperties: false
  }

  return [
    ...(single.length > 0
      ? [toDeep(name, scalars.length > 0 ? { anyOf: [...scalars, choices] } : choices, required)]
      : scalars.length > 0
        ? [toForm(name, scalars.length === 1 ? (scalars[0] as JsonSchema) : { anyOf: scalars }, required)]
        : []),
    ...listsOf(name, schema, root),
    ...inLists
  ]

  function toPlain(part: JsonSchema): JsonSchema {
    return convertSchema({ ...part, $defs: root.$defs, definitions: root.definitions }, INLINE)
  }
}

function listsOf(name: string, schema: JsonSchema, root: JsonSchema): readonly OpenApiParameter[] {
  return toAlternatives(schema, root)
    .filter(({ type, items }) => type === 'array' && isSingle((items ?? {}) as JsonSchema))
    .slice(0, 1)
    .map(({ items = {} }) => toList(name, convertSchema(items as JsonSchema, INLINE)))
}

function isSingle({ type, properties }: JsonSchema): boolean {
  return properties === undefined && ![type].flat().some((one) => one === 'array' || one === 'object')
}

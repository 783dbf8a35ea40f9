import { toAlternatives } from '../schema/alternatives.ts'
import { getProperties, type JsonSchema } from '../schema/json-schema.ts'
import { convertSchema, INLINE } from './convert.ts'
import { toDeep, toForm, toList } from './parameter-forms.ts'
import type { OpenApiParameter } from './types.ts'

/** The parameters of a query that is described by a schema of its own, which must not name `hidden` fields. */
export function toQueryParameters(
  query: JsonSchema,
  hidden: readonly string[] = []
): readonly OpenApiParameter[] {
  const parts = toAlternatives(query, query)
  const properties = new Map(parts.flatMap((part) => [...getProperties(part)]))
  const isRequired = (name: string) => parts.every((part) => demands(part, name))

  return [...properties].flatMap(([name, schema]) => {
    if (hidden.includes(name) || UNDESCRIBED.includes(name) || isRefusedName(name)) return []

    return toOwnParameters(name, schema, query, isRequired(name))
  })
}

/** `$select` changes what a response has; the others have no form that a client could be made for. */
const UNDESCRIBED: readonly string[] = ['$select', '$and', '$or', '$nor', '$not']

/** Brackets mean something else in a query string, and the server refuses the other names. */
export function isRefusedName(name: string): boolean {
  return /[[\]]|^(?:__proto__|constructor)$/.test(name)
}

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
  const properties = objects
    .flatMap((part) => [...getProperties(part)])
    .filter(([key]) => !isRefusedName(key))
  const isDemanded = (key: string) => required && parts.length === 1 && demands(schema, key)
  const inLists = properties.flatMap(([key, part]) => listsOf(`${name}[${key}]`, part, root, isDemanded(key)))
  const single = properties.filter(([, part]) => toAlternatives(part, root).some(isSingle))
  // A list may be there in its place.
  const isNeeded =
    required && lists.length === 0 && (inLists.length === 0 || single.some(([key]) => isDemanded(key)))
  const choices = {
    type: 'object',
    properties: Object.fromEntries(single.map(([key, part]) => [key, toPlain(part)])),
    additionalProperties: false
  }

  return [
    ...(single.length > 0
      ? [toDeep(name, scalars.length > 0 ? { anyOf: [...scalars, choices] } : choices, isNeeded)]
      : scalars.length > 0
        ? [toForm(name, scalars.length === 1 ? (scalars[0] as JsonSchema) : { anyOf: scalars }, isNeeded)]
        : []),
    ...listsOf(name, schema, root, required),
    ...inLists
  ]

  function toPlain(part: JsonSchema): JsonSchema {
    return convertSchema({ ...part, $defs: root.$defs, definitions: root.definitions }, INLINE)
  }
}

function listsOf(
  name: string,
  schema: JsonSchema,
  root: JsonSchema,
  required: boolean
): readonly OpenApiParameter[] {
  const parts = toAlternatives(schema, root)
  const isNeeded = required && parts.every(({ type }) => type === 'array')

  return parts
    .filter(({ type, items }) => type === 'array' && isSingle((items ?? {}) as JsonSchema))
    .slice(0, 1)
    .map(({ items = {} }) => toList(name, convertSchema(items as JsonSchema, INLINE), isNeeded))
}

function demands({ required }: JsonSchema, name: string): boolean {
  return Array.isArray(required) && required.includes(name)
}

function isSingle({ type, properties }: JsonSchema): boolean {
  return properties === undefined && ![type].flat().some((one) => one === 'array' || one === 'object')
}

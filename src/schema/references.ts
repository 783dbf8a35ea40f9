import { isObject } from '../utils/check.ts'
import { decodeText } from '../utils/url.ts'
import { isJsonSchema, type JsonSchema } from './json-schema.ts'

/** Lead from a part of a schema to another one, or to one that holds the part. */
export const REFERENCES: readonly string[] = ['$ref', '$dynamicRef', '$recursiveRef']

/** The reference of a schema to another one, if it has any. */
export function getReference(schema: JsonSchema): string | undefined {
  return REFERENCES.map((keyword) => schema[keyword]).find((value) => typeof value === 'string')
}

/** The part that the reference of a schema leads to; `undefined` without one, and for one that leads elsewhere. */
export function toTarget(schema: JsonSchema, root: JsonSchema): JsonSchema | undefined {
  const reference = getReference(schema)

  return reference === undefined ? undefined : resolveReference(reference, root)
}

/** A schema without its reference. */
export function withoutReference(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !REFERENCES.includes(keyword)))
}

/** All that is in a schema, and in those that it refers to: itself too, where it holds itself. */
export function listReachable(schema: JsonSchema, root: JsonSchema): ReadonlySet<JsonSchema> {
  const reached = new Set<JsonSchema>()
  const addParts = (part: JsonSchema): void => {
    for (const inner of [...Object.values(part), toTarget(part, root)]) {
      if (typeof inner === 'object' && inner !== null) reached.add(inner as JsonSchema)
    }
  }

  addParts(schema)
  for (const part of reached) addParts(part)

  return reached
}

/** Finds the part that a reference leads to: `#/$defs/Address`, an `$id`, or an anchor such as `#address`. */
function resolveReference(reference: string, root: JsonSchema): JsonSchema | undefined {
  const [name = '', fragment = ''] = reference.split('#')

  if (name !== '') {
    // An instance of Ajv may have a part of a schema under the whole reference.
    const exact = findPart(root, ({ $id }) => $id === reference)

    if (exact) return exact
  }

  const base = name === '' ? root : findByUrl(name, root)

  if (!base || fragment === '') return base
  if (!fragment.startsWith('/'))
    return findPart(base, ({ $anchor, $dynamicAnchor }) => [$anchor, $dynamicAnchor].includes(fragment))

  let target: unknown = base

  for (const part of fragment.split('/').slice(1)) {
    const key = decodeText(part).replaceAll('~1', '/').replaceAll('~0', '~')

    target = isObject(target) && Object.hasOwn(target, key) ? target[key] : undefined
  }

  return isJsonSchema(target) ? target : undefined
}

function findByUrl(name: string, root: JsonSchema): JsonSchema | undefined {
  const url = toUrl(name, root)

  return findPart(root, ({ $id }) => $id !== undefined && toUrl($id, root) === url)
}

/** Names are relative to the `$id` of the whole schema. */
function toUrl(name: unknown, { $id = '' }: JsonSchema): unknown {
  const base = `${$id}`.includes(':/') ? `${$id}` : 'schema:///'
  const url = typeof name === 'string' && URL.canParse(name, base) ? new URL(name, base).href : name

  return `${url}`.replace(/#$/, '')
}

function findPart(part: unknown, matches: (part: JsonSchema) => boolean): JsonSchema | undefined {
  if (isJsonSchema(part) && matches(part)) return part

  for (const inner of typeof part === 'object' ? Object.values(part ?? {}) : []) {
    const found = findPart(inner, matches)

    if (found) return found
  }

  return undefined
}

import { getPatterns, getProperties, isJsonSchema, type JsonSchema, toTarget } from './json-schema.ts'

/** Which fields of a record are hidden. Those of a schema that holds itself are hidden on each level. */
export interface HiddenFields {
  /** The paths that are hidden in any value of a schema that holds itself; none for other schemas. */
  readonly listWithin: (part: JsonSchema) => readonly string[]
  /**
   * Whether the order of the values of a field, or a comparison with them, tells of a hidden one: it is hidden, is in a
   * hidden one, or holds one.
   */
  readonly tellsOfHidden: (path: string) => boolean
}

/**
 * Finds the fields that are hidden.
 *
 * @param hidden The paths of fields that are hidden
 * @param root The schema of the record
 */
export function createHidden(hidden: readonly string[], root: JsonSchema): HiddenFields {
  const rules = new Map<JsonSchema, Set<string>>()
  const definitions = new Map(listDefinitions(root).map((part) => [JSON.stringify(part), part]))

  for (const path of hidden) addRules(root, path)

  return { listWithin, tellsOfHidden }

  function listWithin(part: JsonSchema): readonly string[] {
    return rules.size === 0 ? [] : listKinds(part).flatMap((kind) => [...(rules.get(kind) ?? [])])
  }

  function addRules(part: JsonSchema, path: string): void {
    const [name, ...further] = path.split('.') as [string, ...string[]]

    for (const kind of listKinds(part)) {
      if (listHeld(kind, root).has(kind)) {
        const paths = rules.get(kind) ?? new Set()

        if (paths.has(path)) continue

        rules.set(kind, paths.add(path))
      }
      if (further.length > 0) for (const field of listFields(kind, name)) addRules(field, further.join('.'))
    }
  }

  function tellsOfHidden(path: string): boolean {
    let parts: readonly JsonSchema[] = [root]
    let within = hidden

    for (const name of path.split('.')) {
      const isPlace = /^\d+$/.test(name)
      const kinds = parts.flatMap(listKinds)
      const isNamed = kinds.some((kind) => getProperties(kind).has(name))
      const names = isNamed ? [name] : [name, '*']

      if (names.some((one) => within.includes(one))) return true

      parts = [...kinds.flatMap((kind) => listFields(kind, name)), ...(isPlace ? parts : [])]
      within = [
        ...names.flatMap((one) => toWithin(within, one)),
        ...(isPlace ? within : []),
        ...parts.flatMap(listWithin)
      ]
    }

    return within.length > 0 || parts.some(holdsHidden)
  }

  /** The schemas that a value may be of, and those of the elements of a list: a path leads through them without a name. */
  function listKinds(part: JsonSchema): readonly JsonSchema[] {
    const kinds = new Set([part])

    for (const kind of kinds) {
      const { anyOf, oneOf, allOf, items, prefixItems } = kind
      const { $schema: _, $defs: __, definitions: ___, ...own } = kind
      const parts = [toTarget(kind, root), anyOf, oneOf, allOf, items, prefixItems].flat()
      // Valibot writes a schema that holds itself twice: where it stands first, and as a definition.
      const twin = definitions.get(JSON.stringify(own))

      for (const inner of [...parts, twin]) if (isJsonSchema(inner)) kinds.add(inner)
    }

    return [...kinds]
  }

  /** Whether a value can hold one of a schema that holds itself. */
  function holdsHidden(part: JsonSchema): boolean {
    return rules.size > 0 && [part, ...listHeld(part, root)].some((held) => rules.has(held))
  }
}

/** The paths that lead on from a field. */
export function toWithin(paths: readonly string[], name: string): readonly string[] {
  return paths.filter((path) => path.startsWith(`${name}.`)).map((path) => path.slice(name.length + 1))
}

function listDefinitions({ $defs, definitions }: JsonSchema): readonly JsonSchema[] {
  return [$defs, definitions].flatMap((parts) => Object.values(parts ?? {})).filter(isJsonSchema)
}

/** What a schema says of its field of a name. */
function listFields(schema: JsonSchema, name: string): readonly JsonSchema[] {
  const { additionalProperties } = schema
  const patterns = getPatterns(schema).map(([, part]) => part)

  return [getProperties(schema).get(name), additionalProperties, ...patterns].filter(isJsonSchema)
}

/** All that stands in a schema, and in those that it refers to. */
export function listHeld(schema: JsonSchema, root: JsonSchema): ReadonlySet<JsonSchema> {
  const held = new Set<JsonSchema>()
  const addHeld = (part: JsonSchema): void => {
    for (const inner of [...Object.values(part), toTarget(part, root)]) {
      if (typeof inner === 'object' && inner !== null) held.add(inner as JsonSchema)
    }
  }

  addHeld(schema)
  for (const part of held) addHeld(part)

  return held
}

import { isJsonSchema, type JsonSchema } from './json-schema.ts'
import { listReachable } from './references.ts'
import { readShape, type Shape } from './shape.ts'

/**
 * Which fields of a record are hidden. Those of a schema that holds itself are hidden on each level: that schema has the
 * paths as rules, wherever it is found.
 */
export class HiddenFields {
  private readonly hidden: readonly string[]
  private readonly root: JsonSchema
  private readonly record: Shape
  /** What is hidden in schemas that hold themselves. */
  private readonly rules = new Map<JsonSchema, Set<string>>()
  private readonly definitions: ReadonlyMap<string, JsonSchema>

  constructor(hidden: readonly string[], root: JsonSchema) {
    this.hidden = hidden
    this.root = root
    this.record = readShape(root)
    this.definitions = new Map(listDefinitions(root).map((part) => [JSON.stringify(part), part]))

    for (const path of hidden) this.addRules(path.split('.'))
  }

  /** The paths that are hidden in any value of a schema that holds itself; none for other schemas. */
  listWithin(shape: Shape): readonly string[] {
    if (this.rules.size === 0) return []

    return toKinds(shape)
      .flatMap((kind) => this.listSources(kind))
      .flatMap((source) => [...(this.rules.get(source) ?? [])])
  }

  /**
   * Whether the order of the values of a field, or a comparison with them, tells of a hidden one: it is hidden, is in a
   * hidden one, or holds one.
   */
  tellsOfHidden(path: string): boolean {
    let shapes: readonly Shape[] = [this.record]
    let within = this.hidden

    for (const name of path.split('.')) {
      const isPlace = /^\d+$/.test(name)
      const kinds = shapes.flatMap(toKinds)
      const isNamed = kinds.some(({ object }) => object.names.has(name))
      const names = isNamed ? [name] : [name, '*']

      if (names.some((one) => within.includes(one))) return true

      shapes = toDifferent([...kinds.flatMap((kind) => listFields(kind, name)), ...(isPlace ? shapes : [])])
      within = toDifferent([
        ...names.flatMap((one) => toWithin(within, one)),
        ...(isPlace ? within : []),
        ...shapes.flatMap((shape) => this.listWithin(shape))
      ])
    }

    return within.length > 0 || shapes.some((shape) => this.holdsHidden(shape))
  }

  private addRules(path: readonly string[]): void {
    let shapes: readonly Shape[] = [this.record]

    for (const [level, name] of path.entries()) {
      const kinds = shapes.flatMap(toKinds)
      const rule = path.slice(level).join('.')

      for (const source of kinds.flatMap((kind) => this.listSources(kind))) {
        if (!listReachable(source, this.root).has(source)) continue

        this.rules.set(source, (this.rules.get(source) ?? new Set()).add(rule))
      }

      shapes = toDifferent(kinds.flatMap((kind) => listFields(kind, name)))
    }
  }

  /** Valibot writes a schema that holds itself twice: in the first place where it is used, and as a definition. */
  private listSources({ sources }: Shape): readonly JsonSchema[] {
    if (this.definitions.size === 0) return [...sources]

    return [...sources].flatMap((source) => {
      const { $schema: _, $defs: __, definitions: ___, ...own } = source
      const duplicate = this.definitions.get(JSON.stringify(own))

      return duplicate ? [source, duplicate] : [source]
    })
  }

  /** Whether a value can hold one of a schema that holds itself. */
  private holdsHidden({ schema }: Shape): boolean {
    return (
      this.rules.size > 0 &&
      [schema, ...listReachable(schema, this.root)].some((part) => this.rules.has(part))
    )
  }
}

/** The paths that lead on from a field. */
export function toWithin(paths: readonly string[], name: string): readonly string[] {
  return paths.filter((path) => path.startsWith(`${name}.`)).map((path) => path.slice(name.length + 1))
}

/** Long paths lead to the same again and again. */
function toDifferent<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)]
}

function listDefinitions({ $defs, definitions }: JsonSchema): readonly JsonSchema[] {
  return [$defs, definitions].flatMap((parts) => Object.values(parts ?? {})).filter(isJsonSchema)
}

/** A value, and the elements of the lists that it may be: a path leads through them without a name. */
export function toKinds(shape: Shape): readonly Shape[] {
  const kinds = new Set([shape])

  for (const { elements } of kinds) if (elements) kinds.add(elements)

  return [...kinds]
}

/** What a value may have as its field of a name. */
function listFields({ object: { fields, patterns, others } }: Shape, name: string): readonly Shape[] {
  return [fields.get(name) ?? [], others ?? [], ...patterns.map(([, shape]) => shape)].flat()
}

// JSON has no dates: a client sends the string of one, in the form that JSON has for it. What a schema declares as a date
// becomes one before the library checks it.
import { isDay, toExactDate } from '../query/coerce.ts'
import { isPlainObject, setOwn } from '../utils/object.ts'
import {
  createUnion,
  DATE_KEYWORD,
  findProperty,
  getPatterns,
  getTypes,
  hasKeyword,
  isJsonSchema,
  type JsonSchema,
  listProperties,
  toAlternatives
} from './json-schema.ts'
import { findTag } from './unknown.ts'

/** A value with its dates, and the paths of the strings that should be dates and are none. */
export interface Dated {
  readonly value: unknown
  readonly unfit: ReadonlySet<string>
}

/** Copies what has dates; returns the same value where there are none. */
type Visit = (value: unknown, path: string, unfit: Set<string>) => unknown

const NONE: ReadonlySet<string> = new Set()

/**
 * Prepares a function that turns strings into dates where a schema declares dates, at any depth: times in ISO 8601 with a
 * zone. A value that may be a string too stays one.
 *
 * @param schema The schema of the value
 */
export function compileDates(schema: JsonSchema): (value: unknown) => Dated {
  if (!hasKeyword(schema, [DATE_KEYWORD])) return (value) => ({ value, unfit: NONE })

  const visit = createCompiler(schema)([schema])

  return (value) => {
    const unfit = new Set<string>()

    return { value: visit(value, '', unfit), unfit }
  }
}

function createCompiler(root: JsonSchema): (parts: readonly JsonSchema[]) => Visit {
  const visits = new Map<JsonSchema, Visit>()
  const toUnion = createUnion(root)

  return compile

  function compile(parts: readonly JsonSchema[]): Visit {
    const schema = toUnion(parts)
    const compiled = visits.get(schema)

    if (compiled) return compiled

    let visit: Visit | undefined
    // A schema may hold itself, so its parts are compiled when a value reaches them.
    const lazy: Visit = (value, path, unfit) => {
      visit ??= build(toAlternatives(schema, root))

      return visit(value, path, unfit)
    }

    visits.set(schema, lazy)

    return lazy
  }

  function build(alternatives: readonly JsonSchema[]): Visit {
    const isDate = alternatives.some((part) => part[DATE_KEYWORD]) && !alternatives.some(canBeString)
    const visitFields = buildFields(alternatives)
    const visitElement = buildElements(alternatives)

    return (value, path, unfit) => {
      if (typeof value === 'string') return isDate ? toDate(value, path, unfit) : value
      if (Array.isArray(value)) {
        return copyChanged(value, [...value], (element, index) =>
          visitElement(Number(index))(element, `${path}${index}.`, unfit)
        )
      }

      return isPlainObject(value) ? visitFields(value, path, unfit) : value
    }
  }

  function buildFields(shapes: readonly JsonSchema[]): Visit {
    const tag = findTag(shapes)
    const visitAny = buildShapes(shapes)
    const ofValues = new Map([...(tag?.shapes ?? [])].map(([value, some]) => [value, buildShapes(some)]))

    return (value, path, unfit) => {
      const visit = tag && ofValues.get((value as Record<string, unknown>)[tag.name])

      return (visit ?? visitAny)(value, path, unfit)
    }
  }

  function buildShapes(shapes: readonly JsonSchema[]): Visit {
    const named = new Map(
      listProperties(shapes).map((name) => [name, compile(findProperty(shapes, name))] as const)
    )
    const patterns = shapes.flatMap(getPatterns).map(([pattern, part]) => [pattern, compile([part])] as const)
    const others = shapes.map(({ additionalProperties }) => additionalProperties).filter(isJsonSchema)
    const other = others.length > 0 ? compile(others) : undefined
    const find = (name: string) =>
      named.get(name) ?? patterns.find(([pattern]) => pattern.test(name))?.[1] ?? other

    return (value, path, unfit) =>
      copyChanged(value as object, { ...(value as object) }, (inner, name) => {
        const visit = find(name)

        return visit ? visit(inner, `${path}${name}.`, unfit) : inner
      })
  }

  function buildElements(alternatives: readonly JsonSchema[]): (index: number) => Visit {
    const lists = alternatives.map(({ items, prefixItems }) => ({
      first: [prefixItems, Array.isArray(items) ? items : []].flat().filter(isJsonSchema),
      further: isJsonSchema(items) ? items : undefined
    }))

    return (index) => compile(lists.map(({ first, further }) => first[index] ?? further).filter(isJsonSchema))
  }
}

/** The value itself, or its copy where something in it has become something else. */
function copyChanged(value: object, copy: object, change: (inner: unknown, name: string) => unknown): object {
  let isChanged = false

  for (const [name, inner] of Object.entries(value)) {
    const changed = change(inner, name)

    if (changed === inner) continue

    isChanged = true
    setOwn(copy, name, changed)
  }

  return isChanged ? copy : value
}

function toDate(text: string, path: string, unfit: Set<string>): unknown {
  const date = isDay(text) ? undefined : toExactDate(text)

  if (!date) unfit.add(path.slice(0, -1))

  return date ?? text
}

/** Whether a value may be a string that is no date. */
function canBeString(part: JsonSchema): boolean {
  // A column takes the strings of its dates itself, days among them, with all their digits.
  if (part[DATE_KEYWORD]) return part.format === 'date'

  const types = getTypes(part)
  const isAnything = types.length === 0 && !part.properties && !part.items && part.const === undefined

  return types.includes('string') || isAnything
}

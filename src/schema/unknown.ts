import { isPlainObject } from '../utils/object.ts'
import {
  createUnion,
  findProperty,
  getPatterns,
  getProperties,
  isJsonSchema,
  isOpenObject,
  type JsonSchema,
  listProperties,
  listValues,
  toAlternatives
} from './json-schema.ts'

/** A value without the fields that its schema does not declare, and the paths of those. */
export interface Split {
  readonly value: unknown
  readonly unknown: readonly string[]
}

/** Copies what has unknown fields, and adds their paths; returns the same value where there are none. */
type Visit = (value: unknown, path: string, unknown: string[]) => unknown

const NO_NAMES: readonly string[] = Object.freeze([])

const keep: Visit = (value) => value

/**
 * Prepares a function that finds the fields that a schema does not declare, at any depth. An object with `properties`
 * has no others unless its schema says `additionalProperties`. Where a value may be one of several things, a field is
 * known when one of those has it that the value can still be: what says `kind: 'circle'` is no square.
 *
 * @param schema The schema of the value
 */
export function compileUnknown(schema: JsonSchema): (value: unknown) => Split {
  const compile = createCompiler(schema)
  const visit = compile(schema)

  return (value) => {
    const unknown: string[] = []
    const rest = visit(value, '', unknown)

    return { value: rest, unknown: unknown.length > 0 ? unknown : NO_NAMES }
  }
}

function createCompiler(root: JsonSchema): (schema: JsonSchema) => Visit {
  const visits = new Map<JsonSchema, Visit>()
  const toUnion = createUnion(root)

  function compile(schema: JsonSchema): Visit {
    const compiled = visits.get(schema)

    if (compiled) return compiled

    let visit: Visit | undefined
    // A schema may hold itself, so its parts are compiled when a value reaches them.
    const lazy: Visit = (value, path, unknown) => {
      if (typeof value !== 'object' || value === null) return value

      visit ??= build(schema)

      return visit(value, path, unknown)
    }

    visits.set(schema, lazy)

    return lazy
  }

  function build(schema: JsonSchema): Visit {
    const alternatives = toAlternatives(schema, root)
    const ofObject = buildObject(alternatives.filter(canBeObject))
    const ofArray = buildArray(alternatives)

    return (value, path, unknown) => {
      if (Array.isArray(value)) return ofArray(value, path, unknown)

      return isPlainObject(value) ? ofObject(value, path, unknown) : value
    }
  }

  function buildObject(shapes: readonly JsonSchema[]): Visit {
    const ofAny = buildFields(shapes)
    const tag = findTag(shapes)

    if (!tag) return ofAny

    const ofShapes = new Map<string, Visit>()
    const ofValues = new Map(
      [...tag.shapes].map(([value, fitting]) => {
        const key = fitting.map((shape) => shapes.indexOf(shape)).join()
        const visit = ofShapes.get(key) ?? buildObject(fitting)

        ofShapes.set(key, visit)

        return [value, visit] as const
      })
    )

    return (value, path, unknown) => {
      const visit = ofValues.get((value as Record<string, unknown>)[tag.name]) ?? ofAny

      return visit(value, path, unknown)
    }
  }

  function buildFields(shapes: readonly JsonSchema[]): Visit {
    // What can be no object is refused by the library.
    if (shapes.length === 0) return keep

    const named = new Map<string, Visit>()

    for (const name of listProperties(shapes)) {
      const parts = findProperty(shapes, name)

      named.set(name, parts.length > 0 ? compile(toUnion(parts)) : keep)
    }

    const patterns = shapes.flatMap(getPatterns).map(([pattern, part]) => [pattern, compile(part)] as const)
    const others = shapes.map(({ additionalProperties }) => additionalProperties).filter(isJsonSchema)
    const other = others.length > 0 ? compile(toUnion(others)) : shapes.some(isOpenObject) ? keep : undefined
    const find = (name: string) => named.get(name) ?? findOther(name)
    const findOther = (name: string) => patterns.find(([pattern]) => pattern.test(name))?.[1] ?? other

    return (value, path, unknown) => {
      const source = value as Record<string, unknown>
      let copy: Record<string, unknown> | undefined

      for (const name of Object.keys(source)) {
        const visit = name === '__proto__' ? undefined : find(name)

        if (!visit) {
          unknown.push(path + name)
          copy ??= { ...source }
          delete copy[name]
          continue
        }

        const inner = source[name]
        const rest = typeof inner === 'object' ? visit(inner, `${path}${name}.`, unknown) : inner

        if (rest !== inner) {
          copy ??= { ...source }
          copy[name] = rest
        }
      }

      return copy ?? value
    }
  }

  function buildArray(alternatives: readonly JsonSchema[]): Visit {
    const lists = alternatives.filter(canBeArray)
    const parts = lists.flatMap(({ items, prefixItems }) => [items, prefixItems].flat()).filter(isJsonSchema)

    if (parts.length === 0) return keep

    const visit = compile(toUnion(parts))

    return (value, path, unknown) => {
      const source = value as readonly unknown[]
      const rest = source.map((element, index) => visit(element, `${path}${index}.`, unknown))

      return rest.some((element, index) => element !== source[index]) ? rest : value
    }
  }

  return compile
}

/** A field whose value leaves only some of the objects that a value may be. */
interface Tag {
  readonly name: string
  /** Those that each value leaves. */
  readonly shapes: ReadonlyMap<unknown, readonly JsonSchema[]>
}

/** The field that tells some shapes apart, if there is one. */
export function findTag(shapes: readonly JsonSchema[]): Tag | undefined {
  if (shapes.length < 2) return undefined

  for (const name of listProperties(shapes)) {
    const lists = shapes.map((shape) => listValues(getProperties(shape).get(name)))
    const left = new Map(
      lists.flat().map((value) => [value, shapes.filter((_, index) => lists[index]?.includes(value))])
    )

    if (
      lists.every((values) => values.length > 0) &&
      [...left.values()].every((some) => some.length < shapes.length)
    ) {
      return { name, shapes: left }
    }
  }

  return undefined
}

function canBeObject({ type }: JsonSchema): boolean {
  return type === undefined || [type].flat().includes('object')
}

function canBeArray({ type }: JsonSchema): boolean {
  return type === undefined || [type].flat().includes('array')
}

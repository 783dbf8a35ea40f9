import { type Expanded, toExpanded } from './alternatives.ts'
import { createIntersect, createUnion } from './combine.ts'
import {
  describesObject,
  getPatterns,
  getProperties,
  getTypes,
  isAnything,
  isJsonSchema,
  isOpenObject,
  type JsonSchema,
  listProperties,
  listValues
} from './json-schema.ts'

/** Makes the shape of a value that matches one of several schemas: the same one for the same schemas. */
export type ToShape = (...parts: readonly JsonSchema[]) => Shape

/**
 * Prepares to read a JSON Schema: its references, its alternatives and what it says of fields and elements, in one form. Each
 * part is read when it is asked for, because a schema may hold itself. References find their targets in `root`, which holds all
 * others.
 */
export function createShapes(root: JsonSchema): ToShape {
  const shapes = new Map<JsonSchema, Shape>()
  const toUnion = createUnion(root)
  const intersect = createIntersect()

  return function toShape(...parts) {
    const schema = toUnion(parts)
    const shape = shapes.get(schema) ?? new Shape(schema, () => toExpanded(schema, root, intersect), toShape)

    shapes.set(schema, shape)

    return shape
  }
}

/** The shape of a value that matches a schema. */
export function readShape(schema: JsonSchema): Shape {
  return createShapes(schema)(schema)
}

/** What a value may be. */
export class Shape {
  /** What it was read from: the schema, or an `anyOf` of several. */
  readonly schema: JsonSchema

  /** What the value matches one of, each with its references resolved. */
  get alternatives(): readonly JsonSchema[] {
    return this.expanded.alternatives
  }

  /** The schemas that the alternatives were read from. A value of the same schema elsewhere has it among its own. */
  get sources(): ReadonlySet<JsonSchema> {
    return this.expanded.sources
  }

  /** What it has as an object. */
  get object(): ObjectShape {
    this.asObject ??= new ObjectShape(this.alternatives, this.toShape)

    return this.asObject
  }

  /** What any element of it is, as a list; `undefined` where no alternative says so. */
  get elements(): Shape | undefined {
    if (this.asElements === undefined) {
      const parts = this.alternatives
        .flatMap(({ items, prefixItems }) => [items, prefixItems].flat())
        .filter(isJsonSchema)

      this.asElements = parts.length > 0 ? this.toShape(...parts) : null
    }

    return this.asElements ?? undefined
  }

  /** What its elements are, as a list, by their place. */
  get list(): ListShape {
    this.asList ??= new ListShape(this.alternatives, this.toShape)

    return this.asList
  }

  private get expanded(): Expanded {
    this.resolved ??= this.resolve()

    return this.resolved
  }

  private resolved: Expanded | undefined
  private asObject: ObjectShape | undefined
  private asList: ListShape | undefined
  private asElements: Shape | null | undefined
  private readonly resolve: () => Expanded
  private readonly toShape: ToShape

  constructor(schema: JsonSchema, resolve: () => Expanded, toShape: ToShape) {
    this.schema = schema
    this.resolve = resolve
    this.toShape = toShape
  }

  /** The shape that only some of the alternatives give. */
  filter(isLeft: (part: JsonSchema) => boolean): Shape {
    const resolve = () => ({ alternatives: this.alternatives.filter(isLeft), sources: this.sources })

    return new Shape(this.schema, resolve, this.toShape)
  }
}

/** What the elements of a list are, where it matches one of several schemas. */
export class ListShape {
  /** Those of the first places. */
  readonly first: readonly (Shape | undefined)[]
  /** Those of all places after these. */
  readonly further: Shape | undefined

  constructor(parts: readonly JsonSchema[], toShape: ToShape) {
    // A list of `items` is the form of older drafts.
    const lists = parts.map(({ items, prefixItems }) => ({
      first: [prefixItems, Array.isArray(items) ? items : []].flat().filter(isJsonSchema),
      items: isJsonSchema(items) ? items : undefined
    }))
    const toElement = (place: number) => {
      const elements = lists.map(({ first, items }) => first[place] ?? items).filter(isJsonSchema)

      return elements.length > 0 ? toShape(...elements) : undefined
    }
    const length = Math.max(0, ...lists.map(({ first }) => first.length))

    this.first = Array.from({ length }, (_, place) => toElement(place))
    this.further = toElement(length)
  }
}

/** What an object may have, where it matches one of several schemas. */
export class ObjectShape {
  /** The names that are declared. */
  readonly names: ReadonlySet<string>
  /** Those of which the schema says more than that they are there. */
  readonly fields: ReadonlyMap<string, Shape>
  /** What is declared for names that match a pattern. */
  readonly patterns: readonly (readonly [RegExp, Shape])[]
  /** What other fields hold; `undefined` where nothing says so. */
  readonly others: Shape | undefined
  /** Whether there may be fields that are not declared. */
  readonly isOpen: boolean

  /** The fields that are always there. */
  get required(): readonly string[] {
    const [first = [], ...others] = this.parts.map(({ required }) =>
      Array.isArray(required) ? required : []
    )

    return first.filter((name) => others.every((names) => names.includes(name)))
  }

  /** The field that tells some of the schemas apart, if there is one. */
  findDiscriminator(): Discriminator | undefined {
    return findDiscriminator(this.parts, this.toShape)
  }

  private readonly parts: readonly JsonSchema[]
  private readonly toShape: ToShape

  constructor(parts: readonly JsonSchema[], toShape: ToShape) {
    const others = parts.map(({ additionalProperties }) => additionalProperties).filter(isJsonSchema)
    const declared = parts.map(getProperties)
    const fields = listProperties(parts).map(
      (name) => [name, declared.map((properties) => properties.get(name)).filter(isJsonSchema)] as const
    )

    this.parts = parts
    this.toShape = toShape
    this.names = new Set(fields.map(([name]) => name))
    this.fields = new Map(
      fields.filter(([, found]) => found.length > 0).map(([name, found]) => [name, toShape(...found)])
    )
    this.patterns = parts.flatMap(getPatterns).map(([pattern, part]) => [pattern, toShape(part)])
    this.others = others.length > 0 ? toShape(...others) : undefined
    this.isOpen = parts.some(isOpenObject)
  }

  /** What a field holds that is not declared by its name: by a pattern, or as all others. */
  findOther(name: string): Shape | undefined {
    return this.patterns.find(([pattern]) => pattern.test(name))?.[1] ?? this.others
  }
}

/** A field whose value leaves only some of the schemas that an object may match. */
export interface Discriminator {
  readonly name: string
  /** What the object has for each value of the field. */
  readonly objects: ReadonlyMap<unknown, ObjectShape>
}

function findDiscriminator(parts: readonly JsonSchema[], toShape: ToShape): Discriminator | undefined {
  if (parts.length < 2) return undefined

  for (const name of listProperties(parts)) {
    const lists = parts.map((part) => listValues(getProperties(part).get(name)))
    const left = new Map(
      lists.flat().map((value) => [value, parts.filter((_, index) => lists[index]?.includes(value))])
    )

    if (
      lists.every((values) => values.length > 0) &&
      [...left.values()].every((some) => some.length < parts.length)
    ) {
      return { name, objects: toObjects(left, parts, toShape) }
    }
  }

  return undefined
}

/** Values that leave the same schemas get the same object. */
function toObjects(
  left: ReadonlyMap<unknown, readonly JsonSchema[]>,
  parts: readonly JsonSchema[],
  toShape: ToShape
): ReadonlyMap<unknown, ObjectShape> {
  const objects = new Map<string, ObjectShape>()

  return new Map(
    [...left].map(([value, some]) => {
      const key = some.map((part) => parts.indexOf(part)).join()
      const object = objects.get(key) ?? new ObjectShape(some, toShape)

      objects.set(key, object)

      return [value, object]
    })
  )
}

/**
 * Whether a value may have something at a path, as far as its schema says. A path passes through lists without a name; `*` is
 * a field that has no name.
 */
export function mayHavePath(value: Shape, path: readonly string[]): boolean {
  // By index in the path. A type that holds itself, alone and in a list, would be searched twice as often at each name.
  const searched = path.map(() => new Set<Shape>())

  const search = (shape: Shape | undefined, index: number): boolean => {
    const [name, seen] = [path[index], searched[index]]

    if (name === undefined || seen === undefined) return true
    if (shape === undefined || seen.has(shape)) return false

    seen.add(shape)

    const { alternatives, elements, object } = shape
    const field = object.fields.get(name)

    if (field ? search(field, index + 1) : object.names.has(name)) return true

    return search(elements, index) || alternatives.some((part) => mayHaveOther(part, name))
  }

  return search(value, 0)
}

/** Whether a value that matches a part may hold something by a name that the part does not declare. */
function mayHaveOther(part: JsonSchema, name: string): boolean {
  const isOpenList =
    getTypes(part).includes('array') && part.items === undefined && part.prefixItems === undefined
  const isFree = () => isOpenObject(part) || getPatterns(part).length > 0

  return isOpenList || (mayBeObject(part) && !getProperties(part).has(name) && isFree())
}

/** Whether a value that matches a part may be an object. */
export function mayBeObject(part: JsonSchema): boolean {
  return describesObject(part) || isAnything(part)
}

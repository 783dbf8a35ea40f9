import { isPlainObject, setOwn } from '../utils/object.ts'
import type { JsonSchema } from './json-schema.ts'
import { mayBeObject, type ObjectShape, readShape, type Shape } from './shape.ts'

/** Returns the value, or what takes its place; notes what it finds. A path ends with a dot, and is empty at the top. */
export type Visit<Notes> = (value: unknown, path: string, notes: Notes) => unknown

/** What is done on the way through a value. */
export interface VisitRules<Notes> {
  /** What becomes of a value that is neither an object nor a list; `undefined` where it stays. */
  readonly toScalar?: (shape: Shape) => Visit<Notes> | undefined
  /** Is told the path of a field that is not declared, which is then left out. Without it such fields stay. */
  readonly onUnknown?: (path: string, notes: Notes) => void
}

type Fields = Readonly<Record<string, unknown>>

/**
 * Prepares a walk through a value along its schema, at any depth. What does not change is not copied. Where a value may be
 * one of several things, a field is declared when one of those has it that the value can still be: what says `kind: 'circle'`
 * is no square.
 */
export function compileVisit<Notes>(schema: JsonSchema, rules: VisitRules<Notes>): Visit<Notes> {
  return new Visits(rules).compile(readShape(schema))
}

const keep: Visit<unknown> = (value) => value

/** The visits of a value, and of what is in it. */
class Visits<Notes> {
  private readonly rules: VisitRules<Notes>
  private readonly compiled = new Map<Shape, Visit<Notes>>()

  constructor(rules: VisitRules<Notes>) {
    this.rules = rules
  }

  compile(shape: Shape): Visit<Notes> {
    const compiled = this.compiled.get(shape)

    if (compiled) return compiled

    let visit: Visit<Notes> | undefined
    // A schema may hold itself, so its parts are compiled when a value reaches them.
    const lazy: Visit<Notes> = (value, path, notes) => {
      visit ??= this.build(shape)

      return visit(value, path, notes)
    }

    this.compiled.set(shape, lazy)

    return lazy
  }

  private compileSome(shape: Shape | undefined): Visit<Notes> {
    return shape ? this.compile(shape) : keep
  }

  private build(shape: Shape): Visit<Notes> {
    const objects = shape.filter(mayBeObject)
    const visitScalar = this.rules.toScalar?.(shape) ?? keep
    // What can be no object is refused by the library.
    const visitFields = objects.alternatives.length > 0 ? this.buildObject(objects.object) : keep
    const visitElements = this.buildElements(shape)

    return (value, path, notes) => {
      if (typeof value !== 'object' || value === null) return visitScalar(value, path, notes)
      if (Array.isArray(value)) return visitElements(value, path, notes)

      return isPlainObject(value) ? visitFields(value, path, notes) : value
    }
  }

  private buildObject(object: ObjectShape): Visit<Notes> {
    const visitAny = this.buildFields(object)
    const discriminator = object.findDiscriminator()

    if (!discriminator) return visitAny

    const visits = new Map<ObjectShape, Visit<Notes>>()

    for (const some of discriminator.objects.values()) {
      if (!visits.has(some)) visits.set(some, this.buildObject(some))
    }

    return (value, path, notes) => {
      const some = discriminator.objects.get((value as Fields)[discriminator.name])

      return ((some && visits.get(some)) ?? visitAny)(value, path, notes)
    }
  }

  private buildFields(object: ObjectShape): Visit<Notes> {
    const { onUnknown, toScalar } = this.rules
    const fields = new Map([...object.fields].map(([name, shape]) => [name, this.compile(shape)] as const))

    return (value, path, notes) => {
      const source = value as Fields
      let copy: Record<string, unknown> | undefined

      for (const name of Object.keys(source)) {
        const visit = fields.get(name) ?? this.findOther(object, name)
        const inner = source[name]

        if (!visit) {
          onUnknown?.(path + name, notes)
          copy ??= { ...source }
          delete copy[name]
          continue
        }

        // Most fields are scalars, to which only `toScalar` does anything.
        if (!toScalar && (typeof inner !== 'object' || inner === null)) continue

        const changed = visit(inner, `${path}${name}.`, notes)

        if (changed === inner) continue

        copy ??= { ...source }
        setOwn(copy, name, changed)
      }

      return copy ?? value
    }
  }

  /** What is done with a field of which the schema says nothing by its name; `undefined` where it is left out. */
  private findOther(object: ObjectShape, name: string): Visit<Notes> | undefined {
    const { onUnknown } = this.rules

    if (name === '__proto__') return onUnknown ? undefined : keep
    if (object.names.has(name)) return keep

    const other = object.findOther(name)

    if (other) return this.compile(other)

    return object.isOpen || !onUnknown ? keep : undefined
  }

  private buildElements({ list }: Shape): Visit<Notes> {
    const first = list.first.map((shape) => this.compileSome(shape))
    const further = this.compileSome(list.further)

    if (first.length === 0 && further === keep) return keep

    return (value, path, notes) => {
      const source = value as readonly unknown[]
      const copy = source.map((element, place) =>
        (first[place] ?? further)(element, `${path}${place}.`, notes)
      )

      return copy.some((element, place) => element !== source[place]) ? copy : value
    }
  }
}

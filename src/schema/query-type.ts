import type { RelatedOf } from './include-type.ts'
import type { CountRelation } from './relation.ts'

/**
 * The queries that records of a type can be asked for: fields with values or operators, `$and`, `$or`, and what to do
 * with the records that match. A name that the type does not have does not compile; fields of nested objects are
 * written as paths, `'address.city'`, one level deep.
 *
 * @example
 * const query: Query<Note> = { done: true, createdAt: { $gt: yesterday }, $sort: { createdAt: -1 } }
 */
// biome-ignore lint/complexity/noBannedTypes: no relation; as in a declaration, so that the compiler compares nothing
export type Query<Record, Relations = {}> = RecordQuery<Record, Relations> & {
  $limit?: number
  $skip?: number
  /** The cursor that a page comes after, or before, and whether it has a total: where the pagination has `cursor`. */
  $after?: string
  $before?: string
  $total?: boolean
  $sort?: { [Path in PathOf<Record> | CountName<Relations>]?: 1 | -1 }
}

/** The queries of a call for one record, or for those that match: `$limit`, `$skip` and `$sort` say nothing there. */
// biome-ignore lint/complexity/noBannedTypes: no relation; as in a declaration, so that the compiler compares nothing
export type RecordQuery<Record, Relations = {}> = Conditions<Record, Relations> & {
  $select?: readonly (PathOf<Record> | (keyof Relations & string))[]
}

/**
 * Operators beside those of every service, by name: what may stand under them for a field of a type. Augment it for
 * operators of your own.
 *
 * @example
 * declare module 'alula/schema' {
 *   interface CustomOperators<Value> {
 *     $near?: readonly [number, number]
 *   }
 * }
 */
export interface CustomOperators<Value> {
  $like?: Value extends string ? string : never
  $notlike?: Value extends string ? string : never
  $ilike?: Value extends string ? string : never
  $contains?: ElementOf<Value>
  $overlaps?: readonly ElementOf<Value>[]
}

/** What a list has; `never` for what may be no list. */
type ElementOf<Value> = NonNullable<Value> extends readonly (infer Element)[] ? Element : never

/** What records must match. */
type Conditions<Record, Relations> = {
  [Field in keyof Record & string]?: Condition<Record[Field]>
} & InnerConditions<Record, Relations> & {
    $and?: readonly Conditions<Record, Relations>[]
    $or?: readonly Conditions<Record, Relations>[]
    $nor?: readonly Conditions<Record, Relations>[]
    $not?: Conditions<Record, Relations>
  }

/** A value, or operators; for a list only operators of the service itself. */
type Condition<Value> = Compared<Exclude<Value, undefined>>

type Compared<Value> = Value | Operators<Value>

interface Operators<Value> extends CustomOperators<Value> {
  $eq?: Value
  $ne?: Value
  $gt?: Value
  $gte?: Value
  $lt?: Value
  $lte?: Value
  $in?: readonly Value[]
  $nin?: readonly Value[]
  /** Only for fields that can be null. */
  $null?: null extends Value ? boolean : never
  $not?: Compared<Value>
}

type Scalar = string | number | bigint | boolean | Date | null | undefined

/** The parts of a field that are objects. */
type Nested<Value> = Exclude<Value, Scalar | readonly unknown[]>

type NestedPath<Record> = {
  [Field in keyof Record & string]: Record[Field] extends Scalar | readonly unknown[]
    ? never
    : `${Field}.${keyof Nested<Record[Field]> & string}`
}[keyof Record & string]

type PathOf<Record> = (keyof Record & string) | NestedPath<Record>

/** The fields of the records that relations lead to, such as `author.name` and `author.address.city`. */
type RelatedPath<Relations> = {
  [Name in keyof Relations & string]: `${Name}.${PathOf<RelatedOf<Relations[Name]>['stored']>}`
}[keyof Relations & string]

/** Conditions on fields of objects, and of related records. */
type InnerConditions<Record, Relations> = {
  [Path in NestedPath<Record> | RelatedPath<Relations>]?: Path extends `${infer Name}.${infer Field}`
    ? Condition<
        Name extends keyof Record
          ? FieldIn<Nested<Record[Name]>, Field>
          : Name extends keyof Relations
            ? FieldIn<RelatedOf<Relations[Name]>['stored'], Field>
            : never
      >
    : never
}

type FieldIn<Value, Path> = Path extends keyof Value
  ? Value[Path]
  : Path extends `${infer Name}.${infer Field}`
    ? FieldIn<Name extends keyof Value ? Nested<Value[Name]> : never, Field>
    : never

/** Records can be sorted by the number of related ones. */
export type CountName<Relations> = {
  [Name in keyof Relations & string]: Relations[Name] extends CountRelation ? Name : never
}[keyof Relations & string]

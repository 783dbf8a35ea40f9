/**
 * The queries that records of a type can be asked for: fields with values or operators, `$and`, `$or`, and what to do
 * with the records that match. A name that the type does not have does not compile; fields of nested objects are
 * written as paths, `'address.city'`, one level deep.
 *
 * @example
 * const query: Query<Note> = { done: true, createdAt: { $gt: yesterday }, $sort: { createdAt: -1 } }
 */
export type Query<Record> = Conditions<Record> & {
  $limit?: number
  $skip?: number
  $sort?: { [Path in PathOf<Record>]?: 1 | -1 }
  $select?: readonly (keyof Record & string)[]
}

/** What records must match. */
type Conditions<Record> = {
  [Field in keyof Record & string]?: Condition<Record[Field]>
} & NestedConditions<Record> & {
    $and?: readonly Conditions<Record>[]
    $or?: readonly Conditions<Record>[]
    $nor?: readonly Conditions<Record>[]
    $not?: Conditions<Record>
  }

/** A value, or operators; for a list only operators of the service itself. */
type Condition<Value> = Exclude<Value, undefined> | Operators<Exclude<Value, undefined>>

type Operators<Value> = {
  $eq?: Value
  $ne?: Value
  $gt?: Value
  $gte?: Value
  $lt?: Value
  $lte?: Value
  $in?: readonly Value[]
  $nin?: readonly Value[]
  $not?: Condition<Value>
  [operator: `$${string}`]: unknown
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

type NestedConditions<Record> = {
  [Path in NestedPath<Record>]?: Path extends `${infer Field}.${infer Name}`
    ? Field extends keyof Record
      ? Name extends keyof Nested<Record[Field]>
        ? Condition<Nested<Record[Field]>[Name]>
        : never
      : never
    : never
}

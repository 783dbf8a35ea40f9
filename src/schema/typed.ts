import type { PathTo, RelatedTypes } from './relation.ts'
import type { DeclaredSchema, SchemaTypes } from './types.ts'

/** A schema whose library does not tell the type of its values. */
export interface TypedSchema<Value> {
  readonly static: Value
}

/**
 * Tells the type of the records of a service, for a relation to it.
 *
 * @param path The path of the service. Its type is that of the record, or of its declaration, whose relations are then known
 * too: `typed<typeof users>('users')`. Of two declarations with relations to each other, one has to tell its record
 * @returns The path
 * @example
 * schema(Note, { relations: { author: one(typed<User>('users'), { from: 'ownerId' }) } })
 */
export function typed<Related>(path: string): PathTo<RelatedBy<Related>>
/**
 * Tells the type of the values of a schema, for a library whose schemas do not.
 *
 * @returns The schema
 * @example
 * schema(typed<Static<typeof Note>>(Note), { hidden: ['secret'] })
 */
export function typed<Value>(schema: object): TypedSchema<Value>
export function typed(value: any): any {
  return value
}

type RelatedBy<Related> =
  Related extends DeclaredSchema<infer Types extends SchemaTypes> ? Types : RecordTypes<Related>

/** What is known of a related record whose type `typed` says. Declarations that TypeScript writes name it. */
export interface RecordTypes<Record> extends RelatedTypes {
  readonly record: Record
  readonly stored: Record
}

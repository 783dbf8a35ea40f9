import type { IncludePath, With } from '../schema/include-type.ts'
import type { DeclaredSchema } from '../schema/types.ts'
import type { Json, Without } from '../schema/wire-types.ts'

/**
 * A record of a declared service as a client reads it: dates are strings, and hidden fields are not in it. With names of
 * relations it has what calls with `$include` load.
 *
 * @example
 * type Note = ClientRecord<typeof notes>
 * type NoteWithAuthor = ClientRecord<typeof notes, 'author'>
 */
export type ClientRecord<
  Declared,
  Names extends Declared extends DeclaredSchema<infer Types>
    ? IncludePath<Types['relations']>
    : string = never
> =
  Declared extends DeclaredSchema<infer Types>
    ? With<Without<Types['record'], Types['hidden']>, Types['relations'], Names, Types['wire'] & Json>
    : never

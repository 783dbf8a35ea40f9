// The types of included records.
import type { CountRelation, ManyRelation, OneRelation, RelatedTypes } from './relation.ts'
import type { AsReceived, Here, Without } from './wire-types.ts'

/** The names that `$include` takes: of relations, and after a dot of relations of their records. */
export type IncludeName<Relations> = NameOf<Relations> | `${NameOf<Relations>}.${string}`

type NameOf<Relations> = keyof Relations & string

/**
 * The names that could be in the place of a name: the same relations, and in the end any that there is. Below records of
 * which the relations are not known, any name is possible.
 */
export type Reachable<Relations, Name extends string> = 0 extends 1 & Relations
  ? string
  : Name extends `${infer First}.${infer Rest}`
    ? First extends keyof Relations
      ? `${First}.${Reachable<RelatedOf<Relations[First]>['relations'], Rest>}`
      : NameOf<Relations>
    : NameOf<Relations>

/** The same names without one to start from, as a union: those of the first five levels are known, and any below. */
export type IncludePath<Relations, Below extends readonly unknown[] = [2, 3, 4, 5]> = 0 extends 1 & Relations
  ? string
  : {
      [Name in NameOf<Relations>]:
        | Name
        | `${Name}.${Below extends readonly [unknown, ...infer Rest]
            ? IncludePath<RelatedOf<Relations[Name]>['relations'], Rest>
            : string}`
    }[NameOf<Relations>]

/** Records with what a call includes, as its caller gets them. */
export type With<Record, Relations, Names extends string, Wire = unknown> = [Names] extends [never]
  ? AsReceived<Wire, Record>
  : 0 extends 1 & Relations
    ? AsReceived<Wire, Record>
    : AsReceived<Wire, Record> & Included<Relations, Names, Wire>

/** What records have beside their own when relations are included. */
export type Included<Relations, Names extends string, Wire = unknown> = {
  [Name in keyof Relations as Name extends FirstOf<Names> ? Name : never]: Loaded<
    Relations[Name],
    RestOf<Names, Name & string>,
    Wire
  >
}

type FirstOf<Name extends string> = Name extends `${infer First}.${string}` ? First : Name
type RestOf<Names extends string, First extends string> = Names extends `${First}.${infer Rest}`
  ? Rest
  : never

type Loaded<Relation, Names extends string, Wire> =
  Relation extends OneRelation<infer Related>
    ? With<Seen<Related, Wire>, Related['relations'], Names, Wire> | null
    : Relation extends ManyRelation<infer Related>
      ? With<Seen<Related, Wire>, Related['relations'], Names, Wire>[]
      : Relation extends CountRelation<'count'>
        ? number
        : boolean

/** A related record as the caller sees it. */
type Seen<Related extends RelatedTypes, Wire> = unknown extends Wire
  ? Related['record']
  : Wire extends Here
    ? Related['record']
    : Related extends { readonly hidden: infer Hidden }
      ? Without<Related['record'], Hidden>
      : Related['record']

/** What is known of the records that a relation leads to; numbers and booleans have no relations. */
export type RelatedOf<Relation> =
  Relation extends OneRelation<infer Related>
    ? Related
    : Relation extends ManyRelation<infer Related>
      ? Related
      : Uncounted

interface Uncounted extends RelatedTypes {
  // biome-ignore lint/complexity/noBannedTypes: it has no fields
  readonly stored: {}
  // biome-ignore lint/complexity/noBannedTypes: no relation
  readonly relations: {}
}

import { isCount, isObject, isString, isStringList } from '../utils/check.ts'
import { createTypeError } from '../utils/developer-error.ts'
import { assertOptions, type OptionChecks } from '../utils/options.ts'

/** What is known of related records. */
export interface RelatedTypes {
  readonly record: any
  /** The fields that can be asked for. */
  readonly stored: any
  readonly relations: any
}

/** The path of a service whose records are known: `typed` returns it. */
export type PathTo<Related extends RelatedTypes> = string & {
  /** Never there: it carries the types. */
  readonly '~related'?: Related
}

type FieldOf<Related extends RelatedTypes> = keyof Related['stored'] & string

/** A field, or what is in it. */
type PathOf<Related extends RelatedTypes> = FieldOf<Related> | `${FieldOf<Related>}.${string}`

/** A relation to one record of another service. */
export interface OneRelation<Related extends RelatedTypes = RelatedTypes, From extends string = string> {
  readonly kind: 'one'
  readonly path: string
  readonly from: From
  readonly to: string | undefined
  readonly filter: readonly string[]
  /** Never there: it carries the types. */
  readonly '~related'?: Related
}

/** A relation to several records of another service. */
export interface ManyRelation<Related extends RelatedTypes = RelatedTypes, From extends string = string> {
  readonly kind: 'many'
  readonly path: string
  readonly from: From | undefined
  readonly to: string | undefined
  readonly through: LinkOptions | undefined
  /** The order of the records of each list. */
  readonly sort: ListOrder | undefined
  /** How many records each list has at most. */
  readonly limit: number | undefined
  readonly filter: readonly string[]
  /** Never there: it carries the types. */
  readonly '~related'?: Related
}

/** How many related records there are, or whether there are some. */
export interface CountRelation<
  Kind extends 'count' | 'exists' = 'count' | 'exists',
  From extends string = string
> {
  readonly kind: Kind
  readonly path: string
  readonly from: From | undefined
  readonly to: string
}

/** What is related to a record. */
export type Relation = OneRelation | ManyRelation | CountRelation

/** The relations of a service by name. */
export type Relations = Readonly<Record<string, Relation>>

/** How deep `$include` may go, and how many relations a query may name, those on the way among them. */
export const MAX_LEVELS = 3
export const MAX_NAMES = 10

/** An order, as `$sort` has it: fields with 1 or -1, the most important first. */
export type ListOrder<Field extends string = string> = { readonly [Name in Field]?: 1 | -1 }

/** What is between two services, and has the ids of both: the records of a third one, or the rows of a table without a service. */
export type LinkOptions = LinkFields &
  (
    | { readonly path: string; readonly table?: undefined }
    | { readonly table: string; readonly path?: undefined }
  )

/** The fields, or columns, of what links. */
export interface LinkFields {
  /** The one with the id of the record. */
  readonly from: string
  /** The one with the id of the related record. */
  readonly to: string
}

const NAME: OptionChecks[string] = [isString, 'the name of a field']
const NEEDED: OptionChecks[string] = [isString, 'the name of a field', 'required']
const FILTER: OptionChecks[string] = [isStringList, 'an array of fields']

const LINK_CHECKS: OptionChecks = { from: NEEDED, to: NEEDED }
const SERVICE_CHECKS: OptionChecks = { path: [isString, 'the path of a service', 'required'], ...LINK_CHECKS }
const TABLE_CHECKS: OptionChecks = { table: [isString, 'the name of a table'], ...LINK_CHECKS }

/**
 * Relates a record to one of another service: `?$include=author` loads it.
 *
 * @param path The path of the other service; `typed` tells the type of its records
 * @param options `from`: the field that has its id. `to`: the field of the other service, its id when left out. `filter`: the
 * fields of the other service that clients may filter by, as `author.username`
 * @throws TypeError for options that are not valid
 * @example
 * schema(Note, { relations: { author: one(typed<User>('users'), { from: 'ownerId' }) } })
 */
export function one<Related extends RelatedTypes = RelatedTypes, const From extends string = string>(
  path: string | PathTo<Related>,
  options: {
    readonly from: From
    readonly to?: FieldOf<Related>
    readonly filter?: readonly PathOf<Related>[]
  }
): OneRelation<Related, From> {
  assertRelation('one', path, options, { from: NEEDED, to: NAME, filter: FILTER })

  const { from, to, filter = [] } = options

  return { kind: 'one', path, from, to, filter }
}

/**
 * Relates a record to several of another service, which come in the order of their ids, or in that of `sort`.
 *
 * @param path The path of the other service
 * @param options `to`: the field of the other service with the id of the record. `from`: the field that it is compared
 * with, the id when left out. Or `through`: the path of a service between the two, or the name of a table, its fields `from`
 * with the id of the record and `to` with that of the related one. `sort` and `limit`: the order of each list, and how many
 * records it has at most. `filter`: the fields of the other service that clients may filter by
 * @throws TypeError for options that are not valid
 * @example
 * many(typed<Comment>('comments'), { to: 'noteId' })
 * many(typed<Photo>('photos'), { to: 'noteId', sort: { position: 1 }, limit: 20 })
 * many(typed<Tag>('tags'), { through: { path: 'note-tags', from: 'noteId', to: 'tagId' } })
 * many(typed<Tag>('tags'), { through: { table: 'note_tags', from: 'noteId', to: 'tagId' } })
 */
export function many<Related extends RelatedTypes = RelatedTypes, const From extends string = never>(
  path: string | PathTo<Related>,
  options: {
    readonly from?: From
    readonly filter?: readonly PathOf<Related>[]
    readonly sort?: ListOrder<PathOf<Related>>
    readonly limit?: number
  } & (
    | { readonly to: FieldOf<Related>; readonly through?: undefined }
    | { readonly through: LinkOptions; readonly to?: FieldOf<Related> }
  )
): ManyRelation<Related, From> {
  assertRelation('many', path, options, {
    from: NAME,
    to: options?.through ? NAME : NEEDED,
    through: [isObject, 'an object with path or table, from and to'],
    sort: [isListOrder, 'an object of fields with 1 or -1'],
    limit: [(value) => isCount(value) && value > 0, 'a positive integer'],
    filter: FILTER
  })

  const { from, to, through, sort, limit, filter = [] } = options

  if (through) {
    assertOptions('through of many()', through, through.table === undefined ? SERVICE_CHECKS : TABLE_CHECKS)
  }

  return { kind: 'many', path, from, to, through, sort, limit, filter }
}

/**
 * Counts the related records that the caller may find. Clients ask for it by `$include` or `$select`, and may sort by it
 * where the records are in memory or in one SQL database.
 *
 * @param path The path of the other service
 * @param options `to`: the field of the other service with the id of the record. `from`: the field that it is compared
 * with, the id when left out
 * @throws TypeError for options that are not valid
 */
export function count<Related extends RelatedTypes = RelatedTypes, const From extends string = never>(
  path: string | PathTo<Related>,
  options: { readonly to: FieldOf<Related>; readonly from?: From }
): CountRelation<'count', From> {
  return toCount('count', path, options)
}

/** The same as {@link count}, as `true` or `false`: whether there are related records. */
export function exists<Related extends RelatedTypes = RelatedTypes, const From extends string = never>(
  path: string | PathTo<Related>,
  options: { readonly to: FieldOf<Related>; readonly from?: From }
): CountRelation<'exists', From> {
  return toCount('exists', path, options)
}

/** What is between the two services of a relation, if there is anything. */
export function getThrough(relation: Relation): LinkOptions | undefined {
  return 'through' in relation ? relation.through : undefined
}

/** Whether a relation is a number or a boolean, and has no records. */
export function isCountRelation(relation: Relation): relation is CountRelation {
  return relation.kind === 'count' || relation.kind === 'exists'
}

/** The names by which a query can filter through relations: `author.username`. */
export function listFilters(relations: Relations): readonly string[] {
  return Object.entries(relations).flatMap(([name, relation]) =>
    isCountRelation(relation) ? [] : relation.filter.map((field) => `${name}.${field}`)
  )
}

/** Whether a value is an object of relations by name. */
export function isRelations(value: unknown): boolean {
  return (
    isObject(value) &&
    Object.values(value).every((relation) => isObject(relation) && 'kind' in relation && 'path' in relation)
  )
}

function isListOrder(value: unknown): boolean {
  const directions = isObject(value) ? Object.values(value) : []

  return directions.length > 0 && directions.every((direction) => direction === 1 || direction === -1)
}

function toCount<Kind extends 'count' | 'exists', From extends string>(
  kind: Kind,
  path: string,
  options: { readonly to: string; readonly from?: From }
): CountRelation<Kind, From> {
  assertRelation(kind, path, options, { to: NEEDED, from: NAME })

  return { kind, path, from: options.from, to: options.to }
}

function assertRelation(kind: string, path: unknown, options: object, checks: OptionChecks): void {
  if (typeof path !== 'string' || path === '') {
    throw createTypeError('ALULA_INVALID_RELATION', `${kind}() expects the path of a service, and options`)
  }

  assertOptions(`${kind}()`, options ?? {}, checks)
}

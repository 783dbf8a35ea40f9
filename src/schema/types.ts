import type { DescribedExtension } from './declared.ts'
import type { Included, IncludePath, With } from './include-type.ts'
import type { InputOf, OutputOf } from './output-type.ts'
import type { TIMESTAMPS } from './timestamps.ts'
import type { Cursors, WireOf } from './wire-types.ts'

/** What a declaration says about the types of a service. */
export interface SchemaTypes {
  /** What methods return. */
  readonly record: unknown
  /** What can be asked for. */
  readonly stored: unknown
  readonly create: unknown
  readonly update: unknown
  readonly patch: unknown
  /** Of custom methods: what callers give, what the class gets of it, and what it returns. */
  readonly methods: {
    readonly [method: string]: { readonly data: unknown; readonly checked: unknown; readonly result: unknown }
  }
  readonly relations: object
  /** What calls of clients have beside records: an envelope, or what a view makes. */
  readonly wire: object
  /** The names of fields that clients do not get. */
  readonly hidden: PropertyKey
  /** The names of fields that the server sets, and clients do not send. */
  readonly reserved: PropertyKey
}

/** What `schema` returns: the option `schema` of `app.use`. */
export interface DeclaredSchema<Types extends SchemaTypes = SchemaTypes> extends DescribedExtension {
  /** Never there: it carries the types. */
  readonly '~types'?: Types
}

/**
 * The record of a declaration, with relations that calls include: what `find` and `get` return.
 *
 * @example
 * type Page = Paginated<RecordOf<typeof notes, 'author' | 'tags'>>
 */
export type RecordOf<
  Declared,
  Names extends Declared extends DeclaredSchema<infer Types>
    ? IncludePath<Types['relations']>
    : string = never
> = Declared extends DeclaredSchema<infer Types> ? With<Types['record'], Types['relations'], Names> : never

/**
 * A declaration as a service with parents has it: `create` and `update` do not need the fields that its path sets.
 *
 * @example
 * interface Services {
 *   'articles/:slug/comments': ServiceOf<Nested<typeof comments, 'articleId'>>
 * }
 */
export type Nested<Declared, Fields extends string> =
  Declared extends DeclaredSchema<infer Types>
    ? DeclaredSchema<
        Omit<Types, 'create' | 'update'> & {
          readonly create: NewRecord<Types['create'], Fields>
          readonly update: NewRecord<Types['update'], Fields>
        }
      >
    : never

/**
 * A declaration as a service whose pages have cursors has it: `find` returns a `CursorPage`.
 *
 * @example
 * interface Services {
 *   feed: ServiceOf<PagedByCursor<typeof posts>>
 * }
 */
export type PagedByCursor<Declared> =
  Declared extends DeclaredSchema<infer Types>
    ? DeclaredSchema<Omit<Types, 'wire'> & { readonly wire: Types['wire'] & Cursors }>
    : never

/** The types that a declaration says: its settings with the schema of the record, or that schema alone. */
export type TypesOf<Given> = TypesOfForm<
  Given extends { readonly record: object } ? Given : { readonly record: Given }
>

/** The types that the long form says. */
type TypesOfForm<Form extends { readonly record: unknown }> = {
  readonly record: OutputOf<Form['record']> & ComputedOf<Form> & DefaultsOf<Form>
  readonly stored: OutputOf<Form['record']>
  readonly create: CreateOf<Form>
  readonly update: Form extends { readonly update: infer Update }
    ? InputOf<Update> & ReservedOf<OutputOf<Form['record']>, Form>
    : CreateOf<Form>
  readonly patch: Form extends { readonly patch: infer Patch }
    ? InputOf<Patch>
    : Partial<InputOf<Form['record']>>
  readonly methods: MethodsOf<Form, Form['record']>
  readonly relations: RelationsOf<Form>
  readonly wire: WireOf<Form>
  readonly hidden: HiddenOf<Form>
  readonly reserved: SetByServer<Form>
}

type CreateOf<Form extends { readonly record: unknown }> = Form extends { readonly create: infer Create }
  ? InputOf<Create> & ReservedOf<OutputOf<Form['record']>, Form>
  : NewRecord<InputOf<Form['record']>, Reserved<Form>>

/** The fields of the server, which internal calls may give. */
type ReservedOf<Record, Form> = Partial<Pick<Record, Reserved<Form> & keyof Record>>

/** What the server sets; internal calls may give it. */
type Reserved<Settings> = 'id' | '_id' | SetByServer<Settings>

type SetByServer<Settings> =
  | (Settings extends { readonly server: infer Server } ? Extract<keyof Server, string> : never)
  | (Settings extends { readonly timestamps: true } ? (typeof TIMESTAMPS)[number] : never)

/** Names that are not known before the program runs hide nothing in types. */
type HiddenOf<Settings> = Settings extends { readonly hidden: readonly (infer Name extends string)[] }
  ? string extends Name
    ? never
    : Name
  : never

/** Computed fields may be missing, because the class of the service does not know them. */
type ComputedOf<Settings> = Settings extends { readonly computed: infer Fields }
  ? {
      [Name in keyof Fields]?: Fields[Name] extends { readonly many: (...args: any) => infer Values }
        ? Awaited<Values> extends readonly (infer Value)[]
          ? Value
          : unknown
        : unknown
    }
  : unknown

/** The relations of settings. */
export type RelationsOf<Settings> = Settings extends { readonly relations: infer Relations extends object }
  ? Relations
  : // biome-ignore lint/complexity/noBannedTypes: no relation
    {}

/** Relations that are included by default may be missing: calls may ask for others, and internal ones have to ask. */
type DefaultsOf<Settings> = Settings extends {
  readonly relations: infer Relations
  readonly include: readonly (infer Name extends string)[]
}
  ? Partial<Included<Relations, Name>>
  : unknown

type NewRecord<Input, Names> = 0 extends 1 & Input
  ? any
  : Pick<Input, Exclude<keyof Input, Names>> & Partial<Input>

type MethodsOf<Settings, Schema> = Settings extends { readonly methods: infer Methods }
  ? {
      readonly [Name in keyof Methods]: {
        readonly data: Methods[Name] extends { readonly data: infer Data } ? InputOf<Data> : any
        readonly checked: Methods[Name] extends { readonly data: infer Data } ? OutputOf<Data> : any
        readonly result: Methods[Name] extends { readonly result: infer Result }
          ? OutputOf<Result> & AddedTo<Result, Schema, Settings>
          : any
      }
    }
  : // biome-ignore lint/complexity/noBannedTypes: no method
    {}

/** What records have beside the fields that are stored, where the result of a custom method is the record. */
type AddedTo<Result, Schema, Settings> = [Result, Schema] extends [Schema, Result]
  ? ComputedOf<Settings> & DefaultsOf<Settings>
  : unknown

import type { Id, NullableId, Paginated, PaginationParams, Params, REMOTE, WRITTEN } from '../core/types.ts'
import type { LongForm, SchemaSettings, ServerValue } from './declaration.ts'
import type { DescribedExtension } from './declared.ts'
import type { InputOf, OutputOf } from './output-type.ts'
import type { Query, RecordQuery } from './query-type.ts'
import type { CountRelation, ManyRelation, OneRelation } from './relation.ts'
import type { TIMESTAMPS } from './timestamps.ts'
import type {
  ReceivedList,
  ReceivedOne,
  ReceivedPage,
  ReceivedResult,
  Sent,
  SentList,
  SentValue,
  WireOf
} from './wire-types.ts'

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
}

/** What `schema` returns: the option `schema` of `app.use`. */
export interface DeclaredSchema<Types extends SchemaTypes = SchemaTypes> extends DescribedExtension {
  /** Never there: it carries the types. */
  readonly '~types'?: Types
}

/**
 * The type of a service that is declared by a schema, for the services of an application.
 *
 * @example
 * declare module './declarations.js' {
 *   interface Services {
 *     notes: ServiceOf<typeof notes>
 *   }
 * }
 */
export type ServiceOf<Declared, Methods extends string = string, ServiceParams = Params> =
  Declared extends DeclaredSchema<infer Types>
    ? keyof Types['wire'] extends never
      ? Called<Types, Methods, ServiceParams>
      : Called<Types, Methods, ServiceParams> & Remote<Types, Methods, ServiceParams>
    : never

/** The service as code of the server calls it. */
type Called<Types extends SchemaTypes, Methods extends string, P> = Named<CalledMethods<Types, P>, Methods> &
  CustomOf<Types['methods'], 'data', Methods, P> &
  Written<Types, Methods, P>

/** Says what the service is for clients, where that is not the same. */
interface Remote<Types extends SchemaTypes, Methods extends string, P> {
  readonly [REMOTE]: Named<RemoteMethods<Types, P>, Methods> & RemoteCustom<Types, Methods, P>
}

type RemoteCustom<Types extends SchemaTypes, Methods extends string, P> = {
  [Name in keyof Types['methods'] & Methods]: CustomMethod<
    SentValue<Types['wire'], Types['methods'][Name]['data']>,
    P,
    ReceivedResult<Types['wire'], Types['methods'][Name]['result']>
  >['call']
}

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
 * The type of a single record that is declared by a schema, as its callers have it: its methods take `null` in place of the id.
 * Internal calls, which take the id, have it too.
 */
export type SingletonOf<Declared, Methods extends string = string, ServiceParams = Params> =
  Declared extends DeclaredSchema<infer Types>
    ? keyof Types['wire'] extends never
      ? CalledSingle<Types, Methods, ServiceParams>
      : CalledSingle<Types, Methods, ServiceParams> & RemoteSingle<Types, Methods, ServiceParams>
    : never

type CalledSingle<Types extends SchemaTypes, Methods extends string, P> = Named<
  SingleMethods<Types, P>,
  Methods
> &
  CustomOf<Types['methods'], 'data', Methods, P> &
  Written<Types, SingleNames<Types['methods'], Methods>, P>

interface RemoteSingle<Types extends SchemaTypes, Methods extends string, P> {
  readonly [REMOTE]: Named<RemoteSingleMethods<Types, P>, Methods> & RemoteCustom<Types, Methods, P>
}

type SingleNames<Custom, Methods extends string> = string extends Methods
  ? Exclude<StandardName, 'find' | 'create'> | (keyof Custom & string)
  : Methods

/**
 * Says what the class of the service has, which knows nothing of relations. It takes what callers give, or a part of a record:
 * by then the schema has put defaults in, also for a field that is `undefined`.
 */
interface Written<Types extends SchemaTypes, Methods extends string, P> {
  readonly [WRITTEN]: Named<WrittenMethods<Types, P>, Methods> &
    CustomOf<Types['methods'], 'checked', Methods, P>
}

/** All standard methods, unless some are named. */
type Named<All, Methods extends string> = string extends Methods
  ? All
  : Pick<All, Methods & StandardName & keyof All>

type CustomOf<
  T extends SchemaTypes['methods'],
  Data extends 'data' | 'checked',
  Methods extends string,
  P
> = keyof T extends never
  ? unknown
  : { [Name in keyof T & Methods]: CustomMethod<T[Name][Data], P, T[Name]['result']>['call'] }

/** As a method, so that a class may say more of the params: that they have the placeholders of a route. */
interface CustomMethod<Data, P, Result> {
  call(data: Data, params?: P): Promise<Result>
}

/** The settings for records of a type: only fields that it has can be named. */
export interface SettingsFor<Record> extends SchemaSettings {
  readonly server?: {
    readonly [Field in keyof Record]?: ServerValue<Record[Field]>
  }
}

/** The types that the short form says. */
export type TypesOfRecord<S, Settings> = {
  readonly record: OutputOf<S> & ComputedOf<Settings> & DefaultsOf<Settings>
  readonly stored: OutputOf<S>
  readonly create: NewRecord<InputOf<S>, Reserved<Settings>>
  readonly update: NewRecord<InputOf<S>, Reserved<Settings>>
  readonly patch: Partial<InputOf<S>>
  readonly methods: MethodsOf<Settings, S>
  readonly relations: RelationsOf<Settings>
  readonly wire: WireOf<Settings>
}

/** The types that the long form says. */
export type TypesOfForm<Form extends LongForm> = {
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
}

type CreateOf<Form extends LongForm> = Form extends { readonly create: infer Create }
  ? InputOf<Create> & ReservedOf<OutputOf<Form['record']>, Form>
  : NewRecord<InputOf<Form['record']>, Reserved<Form>>

/** The fields of the server, which internal calls may give. */
type ReservedOf<Record, Form> = Partial<Pick<Record, Reserved<Form> & keyof Record>>

/** What the server sets; calls from inside may give it. */
type Reserved<Settings> =
  | 'id'
  | '_id'
  | (Settings extends { readonly server: infer Server } ? Extract<keyof Server, string> : never)
  | (Settings extends { readonly timestamps: true } ? (typeof TIMESTAMPS)[number] : never)

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

type RelationsOf<Settings> = Settings extends { readonly relations: infer Relations extends object }
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

/** The names that `$include` takes. */
type IncludeName<Relations> = keyof Relations & string

type Step<Relations> = IncludeName<Relations> | `${IncludeName<Relations>}.${string}`

/** What records have beside their own when relations are included. */
type Included<Relations, Names extends string> = {
  [Name in keyof Relations as Name extends FirstOf<Names> ? Name : never]: RelatedTo<Relations[Name]>
}

/** Records with what a call includes. */
type With<Record, R, Names extends string> = [Names] extends [never] ? Record : Record & Included<R, Names>

type RelatedTo<R> =
  R extends OneRelation<infer Related>
    ? Related | null
    : R extends ManyRelation<infer Related>
      ? Related[]
      : R extends CountRelation<'count'>
        ? number
        : boolean

type FirstOf<Name extends string> = Name extends `${infer First}.${string}` ? First : Name

/** Params with the queries of a record, which may include relations. */
type Asking<P, Asked, Names> = Omit<P, 'query'> & {
  query?: Asked & { $include?: Names | readonly Names[] }
}

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

type StandardName = 'find' | 'get' | 'create' | 'update' | 'patch' | 'remove'

/** The methods of the class. */
interface WrittenMethods<Types extends SchemaTypes, P, Record = Types['record']> {
  find(params: P & { paginate: false }): Promise<Record[]>
  find(params?: P & { paginate?: PaginationParams }): Promise<Paginated<Record>>
  get(id: Id, params?: P): Promise<Record>
  create(data: New<Types> | New<Types>[], params?: P): Promise<Record | Record[]>
  update(id: Id, data: Types['update'] | Partial<Record>, params?: P): Promise<Record>
  patch(id: null, data: Types['patch'], params?: P): Promise<Record[]>
  patch(id: Id, data: Types['patch'], params?: P): Promise<Record>
  patch(id: NullableId, data: Types['patch'], params?: P): Promise<Record | Record[]>
  remove(id: null, params?: P): Promise<Record[]>
  remove(id: Id, params?: P): Promise<Record>
  remove(id: NullableId, params?: P): Promise<Record | Record[]>
}

type New<Types extends SchemaTypes> = Types['create'] | Partial<Types['record']>

/** The methods as they are called. Names that the record does not have, or that are no relations, do not compile. */
interface CalledMethods<Types extends SchemaTypes, P, Record = Types['record'], R = Types['relations']> {
  find<const N extends Step<R> = never>(
    params: Asking<P, Query<Types['stored'], R>, N> & { paginate: false }
  ): Promise<With<Record, R, N>[]>
  find<const N extends Step<R> = never>(
    params?: Asking<P, Query<Types['stored'], R>, N> & { paginate?: PaginationParams }
  ): Promise<Paginated<With<Record, R, N>>>
  get<const N extends Step<R> = never>(
    id: Id,
    params?: Asking<P, RecordQuery<Types['stored'], R>, N>
  ): Promise<With<Record, R, N>>
  create(data: Types['create'][], params?: P): Promise<Record[]>
  create<const N extends Step<R> = never>(
    data: Types['create'],
    params?: Asking<P, RecordQuery<Types['stored'], R>, N>
  ): Promise<With<Record, R, N>>
  update<const N extends Step<R> = never>(
    id: Id,
    data: Types['update'],
    params?: Asking<P, RecordQuery<Types['stored'], R>, N>
  ): Promise<With<Record, R, N>>
  patch(
    id: null,
    data: Types['patch'],
    params?: Asking<P, RecordQuery<Types['stored'], R>, never>
  ): Promise<Record[]>
  patch<const N extends Step<R> = never>(
    id: Id,
    data: Types['patch'],
    params?: Asking<P, RecordQuery<Types['stored'], R>, N>
  ): Promise<With<Record, R, N>>
  patch(
    id: NullableId,
    data: Types['patch'],
    params?: Asking<P, RecordQuery<Types['stored'], R>, never>
  ): Promise<Record | Record[]>
  remove(id: null, params?: Asking<P, RecordQuery<Types['stored'], R>, never>): Promise<Record[]>
  remove<const N extends Step<R> = never>(
    id: Id,
    params?: Asking<P, RecordQuery<Types['stored'], R>, N>
  ): Promise<With<Record, R, N>>
  remove(
    id: NullableId,
    params?: Asking<P, RecordQuery<Types['stored'], R>, never>
  ): Promise<Record | Record[]>
}

/** What clients call, where responses or requests have more than records. */
interface RemoteMethods<T extends SchemaTypes, P, Record = T['record'], R = T['relations'], W = T['wire']> {
  find<const N extends Step<R> = never>(
    params?: Asking<P, Query<T['stored'], R>, N>
  ): Promise<ReceivedPage<W, With<Record, R, N>>>
  get<const N extends Step<R> = never>(
    id: Id,
    params?: Asking<P, RecordQuery<T['stored'], R>, N>
  ): Promise<ReceivedOne<W, With<Record, R, N>>>
  create(data: SentList<W, T['create']>, params?: P): Promise<ReceivedList<W, Record>>
  create<const N extends Step<R> = never>(
    data: Sent<W, T['create']>,
    params?: Asking<P, RecordQuery<T['stored'], R>, N>
  ): Promise<ReceivedOne<W, With<Record, R, N>>>
  update<const N extends Step<R> = never>(
    id: Id,
    data: Sent<W, T['update']>,
    params?: Asking<P, RecordQuery<T['stored'], R>, N>
  ): Promise<ReceivedOne<W, With<Record, R, N>>>
  patch(
    id: null,
    data: Sent<W, T['patch']>,
    params?: Asking<P, RecordQuery<T['stored'], R>, never>
  ): Promise<ReceivedList<W, Record>>
  patch<const N extends Step<R> = never>(
    id: Id,
    data: Sent<W, T['patch']>,
    params?: Asking<P, RecordQuery<T['stored'], R>, N>
  ): Promise<ReceivedOne<W, With<Record, R, N>>>
  remove(id: null, params?: Asking<P, RecordQuery<T['stored'], R>, never>): Promise<ReceivedList<W, Record>>
  remove<const N extends Step<R> = never>(
    id: Id,
    params?: Asking<P, RecordQuery<T['stored'], R>, N>
  ): Promise<ReceivedOne<W, With<Record, R, N>>>
}

/** Those of one record. */
interface SingleMethods<Types extends SchemaTypes, P, Record = Types['record'], R = Types['relations']> {
  get<const N extends Step<R> = never>(
    id: NullableId,
    params?: Asking<P, RecordQuery<Types['stored'], R>, N>
  ): Promise<With<Record, R, N>>
  update<const N extends Step<R> = never>(
    id: NullableId,
    data: Types['update'],
    params?: Asking<P, RecordQuery<Types['stored'], R>, N>
  ): Promise<With<Record, R, N>>
  patch<const N extends Step<R> = never>(
    id: NullableId,
    data: Types['patch'],
    params?: Asking<P, RecordQuery<Types['stored'], R>, N>
  ): Promise<With<Record, R, N>>
  remove<const N extends Step<R> = never>(
    id: NullableId,
    params?: Asking<P, RecordQuery<Types['stored'], R>, N>
  ): Promise<With<Record, R, N>>
}

/** The same as clients call it, where responses or requests have more than the record. */
interface RemoteSingleMethods<
  T extends SchemaTypes,
  P,
  Record = T['record'],
  R = T['relations'],
  W = T['wire']
> {
  get<const N extends Step<R> = never>(
    id: NullableId,
    params?: Asking<P, RecordQuery<T['stored'], R>, N>
  ): Promise<ReceivedOne<W, With<Record, R, N>>>
  update<const N extends Step<R> = never>(
    id: NullableId,
    data: Sent<W, T['update']>,
    params?: Asking<P, RecordQuery<T['stored'], R>, N>
  ): Promise<ReceivedOne<W, With<Record, R, N>>>
  patch<const N extends Step<R> = never>(
    id: NullableId,
    data: Sent<W, T['patch']>,
    params?: Asking<P, RecordQuery<T['stored'], R>, N>
  ): Promise<ReceivedOne<W, With<Record, R, N>>>
  remove<const N extends Step<R> = never>(
    id: NullableId,
    params?: Asking<P, RecordQuery<T['stored'], R>, N>
  ): Promise<ReceivedOne<W, With<Record, R, N>>>
}

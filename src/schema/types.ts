import type { Id, NullableId, Paginated, PaginationParams, Params, WRITTEN } from '../core/types.ts'
import type { LongForm, SchemaSettings, ServerValue } from './declaration.ts'
import type { DescribedExtension } from './declared.ts'
import type { CountRelation, ManyRelation, OneRelation } from './relation.ts'

/** What a declaration says about the types of a service. */
export interface SchemaTypes {
  readonly record: unknown
  readonly create: unknown
  readonly patch: unknown
  readonly methods: { readonly [method: string]: { readonly data: unknown; readonly result: unknown } }
  readonly relations: object
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
    ? keyof Types['relations'] extends never
      ? IsUndefinedOptional extends true
        ? Plain<Types, Types['create'], Methods, ServiceParams>
        : Plain<Types, Types['create'], Methods, ServiceParams> & Written<Types, Methods, ServiceParams>
      : Related<Types, Methods, ServiceParams>
    : never

/** Whether undefined may stand where a field is left out: with `exactOptionalPropertyTypes` it may not. */
type IsUndefinedOptional = { field?: undefined } extends { field?: never } ? true : false

/** The service without relations, whose methods for new records take this. */
type Plain<Types extends SchemaTypes, Create, Methods extends string, P> = Named<
  StandardMethods<Types['record'], Create, Types['patch'], P>,
  Methods
> &
  CustomOf<Types['methods'], Methods, P>

/** The service as it is called: its class knows nothing of relations. */
type Related<Types extends SchemaTypes, Methods extends string, P> = Named<
  RelatedMethods<Types['record'], Types['create'], Types['patch'], P, Types['relations']>,
  Methods
> &
  CustomOf<Types['methods'], Methods, P> &
  Written<Types, Methods, P>

/**
 * Says what the class of the service has. It takes what callers give, or a part of a record: by then the schema has put
 * defaults in, also for a field that is `undefined`.
 */
interface Written<Types extends SchemaTypes, Methods extends string, P> {
  readonly [WRITTEN]: Plain<Types, Types['create'] | Partial<Types['record']>, Methods, P>
}

/** All standard methods, unless some are named. */
type Named<All, Methods extends string> = string extends Methods
  ? All
  : Pick<All, Methods & StandardName & keyof All>

type CustomOf<T extends SchemaTypes['methods'], Methods extends string, P> = keyof T extends never
  ? unknown
  : { [Name in keyof T & Methods]: CustomMethod<T[Name]['data'], P, T[Name]['result']>['call'] }

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

/** What a valid value of a schema is. */
export type OutputOf<S> = S extends Standard
  ? TypesOf<S>['output']
  : S extends { static: infer Static }
    ? Static
    : any

/** What a schema takes. */
type InputOf<S> = S extends Standard ? TypesOf<S>['input'] : OutputOf<S>

/** A Standard Schema. With more of it here, every schema would be compared with all that its library has. */
interface Standard {
  readonly '~standard': any
}

type TypesOf<S extends Standard> = unknown extends S['~standard']['types']
  ? any
  : NonNullable<S['~standard']['types']>

/** The types that the short form says. */
export type TypesOfRecord<S, Settings> = {
  readonly record: OutputOf<S> & ComputedOf<Settings>
  readonly create: NewRecord<InputOf<S>, Reserved<Settings>>
  readonly patch: Partial<InputOf<S>>
  readonly methods: MethodsOf<Settings>
  readonly relations: RelationsOf<Settings>
}

/** The types that the long form says. */
export type TypesOfForm<Form extends LongForm> = {
  readonly record: OutputOf<Form['record']> & ComputedOf<Form>
  readonly create: Form extends { readonly create: infer Create }
    ? InputOf<Create> &
        Partial<Pick<OutputOf<Form['record']>, Reserved<Form> & keyof OutputOf<Form['record']>>>
    : NewRecord<InputOf<Form['record']>, Reserved<Form>>
  readonly patch: Form extends { readonly patch: infer Patch }
    ? InputOf<Patch>
    : Partial<InputOf<Form['record']>>
  readonly methods: MethodsOf<Form>
  readonly relations: RelationsOf<Form>
}

/** What the server sets; calls from inside may give it. */
type Reserved<Settings> =
  | 'id'
  | '_id'
  | (Settings extends { readonly server: infer Server } ? Extract<keyof Server, string> : never)

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

/** The names that `$include` takes. */
type IncludeName<Relations> = keyof Relations & string

type Step<Relations> = IncludeName<Relations> | `${IncludeName<Relations>}.${string}`

/** What records have beside their own when relations are included. */
type Included<Relations, Names extends string> = {
  [Name in keyof Relations as Name extends FirstOf<Names> ? Name : never]: RelatedTo<Relations[Name]>
}

type RelatedTo<R> =
  R extends OneRelation<infer Related>
    ? Related | null
    : R extends ManyRelation<infer Related>
      ? Related[]
      : R extends CountRelation<'count'>
        ? number
        : boolean

type FirstOf<Name extends string> = Name extends `${infer First}.${string}` ? First : Name

/** Params whose query may include relations. */
type Including<P, Names> = Omit<P, 'query'> & {
  query?: { $include?: Names | readonly Names[]; [name: string]: any }
}

type NewRecord<Input, Names> = 0 extends 1 & Input
  ? any
  : Pick<Input, Exclude<keyof Input, Names>> & Partial<Input>

type MethodsOf<Settings> = Settings extends { readonly methods: infer Methods }
  ? {
      readonly [Name in keyof Methods]: {
        readonly data: Methods[Name] extends { readonly data: infer Data } ? InputOf<Data> : any
        readonly result: Methods[Name] extends { readonly result: infer Result } ? OutputOf<Result> : any
      }
    }
  : // biome-ignore lint/complexity/noBannedTypes: no method
    {}

type StandardName = 'find' | 'get' | 'create' | 'update' | 'patch' | 'remove'

interface StandardMethods<Record, NewRecord, Change, P> {
  find(params: P & { paginate: false }): Promise<Record[]>
  find(params?: P & { paginate?: PaginationParams }): Promise<Paginated<Record>>
  get(id: Id, params?: P): Promise<Record>
  create(data: NewRecord[], params?: P): Promise<Record[]>
  create(data: NewRecord, params?: P): Promise<Record>
  update(id: Id, data: NewRecord, params?: P): Promise<Record>
  patch(id: null, data: Change, params?: P): Promise<Record[]>
  patch(id: Id, data: Change, params?: P): Promise<Record>
  patch(id: NullableId, data: Change, params?: P): Promise<Record | Record[]>
  remove(id: null, params?: P): Promise<Record[]>
  remove(id: Id, params?: P): Promise<Record>
  remove(id: NullableId, params?: P): Promise<Record | Record[]>
}

/** The same where records have relations. A name that is none does not compile. */
interface RelatedMethods<Record, NewRecord, Change, P, R> {
  find<const N extends Step<R> = never>(
    params: Including<P, N> & { paginate: false }
  ): Promise<(Record & Included<R, N>)[]>
  find<const N extends Step<R> = never>(
    params?: Including<P, N> & { paginate?: PaginationParams }
  ): Promise<Paginated<Record & Included<R, N>>>
  get<const N extends Step<R> = never>(id: Id, params?: Including<P, N>): Promise<Record & Included<R, N>>
  create(data: NewRecord[], params?: P): Promise<Record[]>
  create<const N extends Step<R> = never>(
    data: NewRecord,
    params?: Including<P, N>
  ): Promise<Record & Included<R, N>>
  update<const N extends Step<R> = never>(
    id: Id,
    data: NewRecord,
    params?: Including<P, N>
  ): Promise<Record & Included<R, N>>
  patch(id: null, data: Change, params?: P): Promise<Record[]>
  patch<const N extends Step<R> = never>(
    id: Id,
    data: Change,
    params?: Including<P, N>
  ): Promise<Record & Included<R, N>>
  patch(id: NullableId, data: Change, params?: P): Promise<Record | Record[]>
  remove(id: null, params?: P): Promise<Record[]>
  remove<const N extends Step<R> = never>(id: Id, params?: Including<P, N>): Promise<Record & Included<R, N>>
  remove(id: NullableId, params?: P): Promise<Record | Record[]>
}

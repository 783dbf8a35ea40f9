// The types of declared services: as the server calls them, as clients do, and as their class has them.
import type { Id, NullableId, PaginationParams, Params, REMOTE, WRITTEN } from '../core/types.ts'
import type { IncludeName, Reachable, With } from './include-type.ts'
import type { Query, RecordQuery } from './query-type.ts'
import type { DeclaredSchema, SchemaTypes } from './types.ts'
import type {
  AsGiven,
  AsReceived,
  Here,
  Json,
  PageOf,
  ReceivedList,
  ReceivedOne,
  ReceivedPage,
  ReceivedResult,
  Sent,
  SentList,
  SentValue,
  Without
} from './wire-types.ts'

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
    ? MethodsFor<'many', Here, Types, Methods, ServiceParams> & Roles<'many', Types, Methods, ServiceParams>
    : never

/**
 * The type of a single record that is declared by a schema, as its callers have it: its methods take `null` in place of the id.
 * Internal calls, which take the id, have it too.
 */
export type SingletonOf<Declared, Methods extends string = string, ServiceParams = Params> =
  Declared extends DeclaredSchema<infer Types>
    ? MethodsFor<'one', Here, Types, Methods, ServiceParams> & Roles<'one', Types, Methods, ServiceParams>
    : never

/** Whether a service has many records, or is a single one. */
type Kind = 'many' | 'one'

/** What the service is to others than its callers on the server. */
interface Roles<K extends Kind, T extends SchemaTypes, Methods extends string, P> {
  readonly [REMOTE]: {
    readonly values: MethodsFor<K, T['wire'], Public<T>, Methods, P>
    readonly json: MethodsFor<K, T['wire'] & Json, Public<T>, Methods, P>
  }
  /**
   * The class knows nothing of relations. It takes what callers give, or a part of a record: by then the schema has put
   * defaults in, also for a field that is `undefined`.
   */
  readonly [WRITTEN]: Named<
    WrittenMethods<T, P>,
    K extends 'one' ? NamesOfOne<T['methods'], Methods> : Methods
  > & {
    [Name in keyof T['methods'] & Methods]: CustomMethod<
      T['methods'][Name]['checked'],
      P,
      T['methods'][Name]['result']
    >['call']
  }
}

/** What clients know of a service: they do not get hidden fields, and do not send those of the server. */
interface Public<T extends SchemaTypes> {
  readonly record: Without<T['record'], T['hidden']>
  readonly stored: Without<T['stored'], T['hidden']>
  readonly create: Without<T['create'], T['reserved']>
  readonly update: Without<T['update'], T['reserved']>
  readonly patch: Without<T['patch'], T['reserved']>
  readonly methods: T['methods']
  readonly relations: Without<T['relations'], T['hidden']>
  readonly wire: T['wire']
  readonly hidden: T['hidden']
  readonly reserved: T['reserved']
}

type MethodsFor<K extends Kind, Wire, T extends SchemaTypes, Methods extends string, P> = Named<
  K extends 'one'
    ? RecordCalls<T, Wire, P, NullableId>
    : (Wire extends Here ? ServerFind<T, P> : ClientFind<T, Wire, P>) &
        RecordCalls<T, Wire, P, Id> &
        ListCalls<T, Wire, P>,
  Methods
> &
  CustomMethods<T['methods'], Wire, Methods, P> &
  Upsert<T, Wire, Methods, P>

/** The `upsert` of adapters, where it is among the methods that are named, and the schema describes none. */
type Upsert<T extends SchemaTypes, Wire, Methods extends string, P> = string extends Methods
  ? unknown
  : 'upsert' extends Exclude<Methods, keyof T['methods']>
    ? UpsertCall<T, Wire, P>
    : unknown

/** All standard methods, unless some are named. */
type Named<All, Methods extends string> = string extends Methods
  ? All
  : Pick<All, Methods & StandardName & keyof All>

type StandardName = 'find' | 'get' | 'create' | 'update' | 'patch' | 'remove'

type NamesOfOne<Custom, Methods extends string> = string extends Methods
  ? Exclude<StandardName, 'find' | 'create'> | (keyof Custom & string)
  : Methods

type CustomMethods<M extends SchemaTypes['methods'], Wire, Methods extends string, P> = keyof M extends never
  ? unknown
  : {
      [Name in keyof M & Methods]: CustomMethod<
        Wire extends Here ? M[Name]['data'] : AsGiven<Wire, SentValue<Wire, M[Name]['data']>>,
        P,
        Wire extends Here ? M[Name]['result'] : ReceivedResult<Wire, AsReceived<Wire, M[Name]['result']>>
      >['call']
    }

/** As a method, so that a class may say more of the params: that they have the placeholders of a route. */
interface CustomMethod<Data, P, Result> {
  call(data: Data, params?: P): Promise<Result>
}

/** The methods of the class. */
interface WrittenMethods<T extends SchemaTypes, P, Record = T['record']> {
  find(params: P & { paginate: false }): Promise<Record[]>
  find(params?: P & { paginate?: PaginationParams }): Promise<PageOf<T['wire'], Record>>
  get(id: Id, params?: P): Promise<Record>
  create(data: New<T> | New<T>[], params?: P): Promise<Record | Record[]>
  update(id: Id, data: T['update'] | Partial<Record>, params?: P): Promise<Record>
  patch(id: null, data: T['patch'], params?: P): Promise<Record[]>
  patch(id: Id, data: T['patch'], params?: P): Promise<Record>
  patch(id: NullableId, data: T['patch'], params?: P): Promise<Record | Record[]>
  remove(id: null, params?: P): Promise<Record[]>
  remove(id: Id, params?: P): Promise<Record>
  remove(id: NullableId, params?: P): Promise<Record | Record[]>
}

type New<T extends SchemaTypes> = T['create'] | Partial<T['record']>

/** Params with the queries of a record, which may include relations. Names that are none do not compile. */
type Asking<Wire, P, Asked, Relations, Names extends string> = Omit<P, 'query'> & {
  query?: AsGiven<Wire, Asked> & { $include?: Names | readonly Names[] } & Existing<Relations, Names>
}

/** Checks the names after a dot, where those before are known. */
type Existing<Relations, Names extends string> = [Names] extends [Reachable<Relations, Names>]
  ? unknown
  : { $include?: Reachable<Relations, Names> | readonly Reachable<Relations, Names>[] }

type AskingOne<T extends SchemaTypes, Wire, P, Names extends string = never> = Asking<
  Wire,
  P,
  RecordQuery<T['stored'], T['relations']>,
  T['relations'],
  Names
>
type AskingMany<T extends SchemaTypes, Wire, P, Names extends string> = Asking<
  Wire,
  P,
  Query<T['stored'], T['relations']>,
  T['relations'],
  Names
>

/** A record with what a call includes. */
type Row<T extends SchemaTypes, Wire, Names extends string> = With<T['record'], T['relations'], Names, Wire>

type One<T extends SchemaTypes, Wire, Names extends string = never> = ReceivedOne<Wire, Row<T, Wire, Names>>
type List<T extends SchemaTypes, Wire> = ReceivedList<Wire, Row<T, Wire, never>>

interface ServerFind<T extends SchemaTypes, P, R = T['relations']> {
  find<const N extends IncludeName<R> = never>(
    params: AskingMany<T, Here, P, N> & { paginate: false }
  ): Promise<Row<T, Here, N>[]>
  find<const N extends IncludeName<R> = never>(
    params?: AskingMany<T, Here, P, N> & { paginate?: PaginationParams }
  ): Promise<PageOf<T['wire'], Row<T, Here, N>>>
}

/** With an overload that includes nothing: the type of events is read off it. */
interface ClientFind<T extends SchemaTypes, Wire, P, R = T['relations']> {
  find(params?: AskingMany<T, Wire, P, never>): Promise<ReceivedPage<Wire, Row<T, Wire, never>>>
  find<const N extends IncludeName<R> = never>(
    params?: AskingMany<T, Wire, P, N>
  ): Promise<ReceivedPage<Wire, Row<T, Wire, N>>>
}

/** Calls for one record. */
interface RecordCalls<T extends SchemaTypes, Wire, P, I, R = T['relations']> {
  get<const N extends IncludeName<R> = never>(
    id: I,
    params?: AskingOne<T, Wire, P, N>
  ): Promise<One<T, Wire, N>>
  update<const N extends IncludeName<R> = never>(
    id: I,
    data: AsGiven<Wire, Sent<Wire, T['update']>>,
    params?: AskingOne<T, Wire, P, N>
  ): Promise<One<T, Wire, N>>
  patch<const N extends IncludeName<R> = never>(
    id: I,
    data: AsGiven<Wire, Sent<Wire, T['patch']>>,
    params?: AskingOne<T, Wire, P, N>
  ): Promise<One<T, Wire, N>>
  remove<const N extends IncludeName<R> = never>(
    id: I,
    params?: AskingOne<T, Wire, P, N>
  ): Promise<One<T, Wire, N>>
}

/** Calls for new records, and for all that match. */
interface ListCalls<T extends SchemaTypes, Wire, P, R = T['relations']> {
  create(data: AsGiven<Wire, SentList<Wire, T['create']>>, params?: P): Promise<List<T, Wire>>
  create<const N extends IncludeName<R> = never>(
    data: AsGiven<Wire, Sent<Wire, T['create']>>,
    params?: AskingOne<T, Wire, P, N>
  ): Promise<One<T, Wire, N>>
  patch(
    id: null,
    data: AsGiven<Wire, Sent<Wire, T['patch']>>,
    params?: AskingOne<T, Wire, P>
  ): Promise<List<T, Wire>>
  patch(
    id: NullableId,
    data: AsGiven<Wire, Sent<Wire, T['patch']>>,
    params?: AskingOne<T, Wire, P>
  ): Promise<One<T, Wire> | List<T, Wire>>
  remove(id: null, params?: AskingOne<T, Wire, P>): Promise<List<T, Wire>>
  remove(id: NullableId, params?: AskingOne<T, Wire, P>): Promise<One<T, Wire> | List<T, Wire>>
}

/** Takes what `create` takes for one record. */
interface UpsertCall<T extends SchemaTypes, Wire, P, R = T['relations']> {
  upsert<const N extends IncludeName<R> = never>(
    data: AsGiven<Wire, Sent<Wire, T['create']>>,
    params?: AskingOne<T, Wire, P, N>
  ): Promise<One<T, Wire, N>>
}

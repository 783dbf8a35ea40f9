// The contracts that several floors share. The names and shapes are those of Feathers v5, so that its types
// can be replaced by these; all of them can be augmented with `declare module 'alula'`.
import type { AroundHook, HookType, NextFunction, Hook as Step } from '../hooks/types.ts'
import type { Channel } from './channel.ts'
import type { Emitter, EventListener, Listeners } from './emitter.ts'
import type { DataByMethod, ResultByMethod } from './method-types.ts'
import type { RouteTable } from './router.ts'

export type { NextFunction } from '../hooks/types.ts'

/** The id of one record. */
export type Id = number | string

/** The id of one record, or `null` for all that the query selects. */
export type NullableId = Id | null

/** The query of a call: filters by field, and `$limit`, `$skip`, `$sort`, `$select`. */
export interface Query {
  [key: string]: any
}

/** Everything about a call that is neither id nor data. Augment it with what your hooks set, for example `user`. */
export interface Params<Q = Query> {
  /** The only part that a client chooses. */
  query?: Q
  /** The transport that a call came through; `undefined` for an internal call. */
  provider?: string
  /** What stood for the placeholders of the service’s path. */
  route?: { [key: string]: any }
  /** The headers of the request, in lower case. */
  headers?: { [key: string]: any }
  /** What the request says to prove who sent it; not verified yet. */
  authentication?: AuthenticationRequest
  /** Whether `authentication` was verified. */
  authenticated?: boolean
  /** The connection that a call came over, where it stays open. */
  connection?: RealTimeConnection
  /** `false` for an internal call whose data the schema of the service does not check. */
  schema?: false
}

/** What proves who sent a request: the name of a strategy, and what that strategy needs. */
export interface AuthenticationRequest {
  strategy?: string
  [key: string]: any
}

/** A registered authentication service, as transports and hooks need it. `alula/authentication` has the whole. */
export interface DefaultAuthentication {
  readonly configuration: {
    readonly authStrategies: readonly string[]
    readonly parseStrategies?: readonly string[]
    readonly [option: string]: any
  }
  /** Whether it was set up. */
  readonly isReady?: boolean
  /** The names of the strategies that are registered. */
  readonly strategyNames?: readonly string[]
  authenticate(
    authentication: AuthenticationRequest | null | undefined,
    params: any,
    ...allowed: string[]
  ): Promise<{ [key: string]: any }>
  parse(
    request: { readonly headers: { readonly [name: string]: any } },
    response: any,
    ...names: string[]
  ): Promise<AuthenticationRequest | null>
  getStrategies(...names: string[]): any[]
  [key: string]: any
}

/** The result of `find` when pagination is on. */
export interface Paginated<T> {
  /** How many records match, on all pages. It is left out where the pagination has `total: false`. */
  total: number
  limit: number
  skip: number
  data: T[]
}

/** The result of `find` where the pagination has `cursor`. */
export interface CursorPage<T> {
  data: T[]
  limit: number
  /** Whether further records match after the page, and before it. */
  hasNextPage: boolean
  hasPreviousPage: boolean
  /** The places of the first and the last record, for `$before` and `$after`; null for an empty page. */
  startCursor: string | null
  endCursor: string | null
  /** How many records match, on all pages, where the query has `$total: true` and the pagination does not have `total: false`. */
  total?: number
}

/** How many records a page of `find` holds. */
export interface PaginationOptions {
  /** The number of records of a page when the query does not say. */
  default?: number
  /** The most that a query can ask for. */
  max?: number
  /** Whether pages say how many records match in all; `true` by default. Counting many takes a database its time. */
  total?: boolean
  /**
   * Whether `find` returns pages with cursors, which stay in place while records come and go: `$after` and `$before` of a
   * query take a cursor, in place of `$skip`. Cursors are encrypted with a key that is made of `secret`, or else of the
   * `secret` of authentication; without both they show the values that the query sorts by.
   */
  cursor?: boolean | { readonly secret: string }
}

/** Pagination for one call; `false` switches it off. */
export type PaginationParams = false | PaginationOptions

/** What a hook may say about the HTTP response. */
export interface Http {
  /** The status code, instead of the one that follows from method and result. */
  status?: number
  headers?: { [key: string]: string | string[] }
  /** The value of the `Location` header; makes the status 303 unless one is set. */
  location?: string
  /** Whether the client has gone without waiting for the response, as far as the server knows. */
  readonly isAborted?: boolean
}

/**
 * A Fetch function that is mounted on an application. What it throws becomes an error response.
 *
 * @param request The request; its path lacks the prefix of the transport, and `HEAD` arrives as `GET`
 */
export interface MountedHandler {
  (request: Request, details: MountedDetails): Promise<Response> | Response
  /** What a document of `alula/openapi` says of it: operations of OpenAPI by verb in lower case; nothing when left out. */
  readonly operations?: { readonly [verb: string]: object }
}

/** What a mounted function knows about a request beside what it says. */
export interface MountedDetails {
  /** The params for calls that the function makes on behalf of the client. */
  readonly params: Params & { [key: string]: any }
  /** The credentials of the request, not verified yet; `null` when there are none. */
  readonly authentication: AuthenticationRequest | null
  /** The path of the authentication service that the transport names; `undefined` for the default one. */
  readonly authService: string | undefined
  /** The address of the client, where the server knows it. */
  readonly address: string | undefined
  /** The path that the function is mounted for. It begins with that of the sub-application, if there is one: `/api/docs`. */
  readonly prefix: string
  /** The HTTP method. That of the `Request` is `GET` where this is `HEAD`. */
  readonly method: string
}

/** A connection that stays open and can receive events. */
export interface RealTimeConnection {
  [key: string]: any
}

/** The methods of a complete service. */
export interface ServiceMethods<
  Result = any,
  Data = Partial<Result>,
  ServiceParams = Params,
  PatchData = Partial<Data>,
  ServiceId = Id
> {
  find(params?: ServiceParams & { paginate?: PaginationParams }): Promise<Result | Result[]>
  get(id: ServiceId, params?: ServiceParams): Promise<Result>
  create(data: Data, params?: ServiceParams): Promise<Result>
  update(id: ServiceId | null, data: Data, params?: ServiceParams): Promise<Result | Result[]>
  patch(id: ServiceId | null, data: PatchData, params?: ServiceParams): Promise<Result | Result[]>
  remove(id: ServiceId | null, params?: ServiceParams): Promise<Result | Result[]>
  setup?(app: Application, path: string): Promise<void>
  teardown?(app: Application, path: string): Promise<void>
}

/** What the type of the id says about the result. */
export interface ServiceOverloads<
  Result = any,
  Data = Partial<Result>,
  ServiceParams = Params,
  PatchData = Partial<Data>,
  ServiceId = Id
> {
  create?(data: Data[], params?: ServiceParams): Promise<Result[]>
  // What hooks see of a method is its last overload.
  update?(id: null, data: Data, params?: ServiceParams): Promise<Result[]>
  update?(id: ServiceId, data: Data, params?: ServiceParams): Promise<Result>
  patch?(id: null, data: PatchData, params?: ServiceParams): Promise<Result[]>
  patch?(id: ServiceId, data: PatchData, params?: ServiceParams): Promise<Result>
  remove?(id: null, params?: ServiceParams): Promise<Result[]>
  remove?(id: ServiceId, params?: ServiceParams): Promise<Result>
}

/** A service with all methods. */
export type Service<
  Result = any,
  Data = Partial<Result>,
  ServiceParams = Params,
  PatchData = Partial<Data>,
  ServiceId = Id
> = ServiceMethods<Result, Data, ServiceParams, PatchData, ServiceId> &
  ServiceOverloads<Result, Data, ServiceParams, PatchData, ServiceId>

/** A service that may leave methods out: what a class of your own implements. */
export type ServiceInterface<
  Result = any,
  Data = Partial<Result>,
  ServiceParams = Params,
  PatchData = Partial<Data>,
  ServiceId = Id
> = Partial<ServiceMethods<Result, Data, ServiceParams, PatchData, ServiceId>>

/** A service that an application without service types returns. */
export interface AnyService extends Service {
  [name: string]: any
}

/** A service that an application without service types takes. */
export interface AnyServiceInterface extends ServiceInterface {
  [name: string]: any
}

/** A service as a client sees it. */
export interface ClientService<
  Result = any,
  Data = Partial<Result>,
  PatchData = Data,
  FindResult = Paginated<Result>,
  P = Params,
  ServiceId = Id
> {
  find(params?: P): Promise<FindResult>
  get(id: ServiceId, params?: P): Promise<Result>
  create(data: Data[], params?: P): Promise<Result[]>
  create(data: Data, params?: P): Promise<Result>
  update(id: ServiceId, data: Data, params?: P): Promise<Result>
  update(id: null, data: Data, params?: P): Promise<Result[]>
  update(id: ServiceId | null, data: Data, params?: P): Promise<Result | Result[]>
  patch(id: ServiceId, data: PatchData, params?: P): Promise<Result>
  patch(id: null, data: PatchData, params?: P): Promise<Result[]>
  patch(id: ServiceId | null, data: PatchData, params?: P): Promise<Result | Result[]>
  remove(id: ServiceId, params?: P): Promise<Result>
  remove(id: null, params?: P): Promise<Result[]>
  remove(id: ServiceId | null, params?: P): Promise<Result | Result[]>
}

/** A method beyond the six. */
export type CustomMethod<T = any, R = T, P extends Params = Params> = (data: T, params?: P) => Promise<R>

/** Custom methods by name, each given as `[data, result]`. */
export type CustomMethods<T extends { [key: string]: [any, any] }> = {
  [K in keyof T]: (data: T[K][0], params?: Params) => Promise<T[K][1]>
}

/** The options of `app.use(path, service, options)`. `alula/express` and `alula/koa` add those for their middleware. */
export interface ServiceOptions<MethodNames = string> {
  /** The methods that exist for clients; the standard ones that the service has when left out. */
  methods?: MethodNames[] | readonly MethodNames[] | undefined
  /** The events that the service emits itself. */
  events?: string[] | readonly string[] | undefined
  /** All events for clients; the standard ones and `events` when left out. */
  serviceEvents?: string[] | readonly string[] | undefined
  /** Values for `params.route` of every call of a client. */
  routeParams?: { [key: string]: any } | undefined
  /**
   * Whether data may also come as an HTML form (`application/x-www-form-urlencoded`); `false` when left out. Pages of
   * other sites can send forms without asking first.
   */
  forms?: boolean | undefined
  /** What data may be, and what clients may see: `schema()` of `alula/schema`. */
  schema?: ServiceExtension | undefined
  /** Who may call the methods. */
  access?: ServiceExtension | undefined
  /** A verb and a path after that of the service for custom methods: `{ 'POST /:id/favorite': 'favorite' }`. */
  routes?: { readonly [route: RouteName]: MethodNames } | undefined
  /** The field whose value replaces the id in external calls. No two records may have the same. */
  by?: string | undefined
  /**
   * The record that a placeholder of the path names, by the field that holds its id: `{ articleId: 'articles' }`. The caller has to
   * be allowed to get it; calls concern its records alone, and new records get its id.
   */
  parent?: ParentOptions | undefined
  /**
   * The service is one record for each caller, such as the current user: returns its id. `null` and `undefined` are a 404. A client
   * says `true`.
   */
  singleton?: Singleton | true | undefined
}

/** Returns the id of the one record that a caller reaches. */
export type Singleton<ServiceParams = any> = (
  params: ServiceParams
) => Id | null | undefined | object | Promise<Id | null | undefined | object>

/** The record that a placeholder in the path of a service names. */
export interface Parent<Path extends string = string> {
  /** The path of its service. */
  readonly service: Path
  /** The name of the placeholder, without the colon. Its value is what the path of a call of that service would have. */
  readonly placeholder: string
}

/** Parents by the field that holds the id of the record; short where the path has one placeholder. */
export interface ParentOptions<Path extends string = string> {
  readonly [field: string]: Path | Parent<Path> | undefined
}

/** A verb and a path, such as `POST /:id/favorite`. */
export type RouteName = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`

/**
 * The params of a call by a route, or of a service whose path has placeholders: `params.route` has these and no others.
 *
 * @example
 * async favorite(data: unknown, { route }: RouteParams<'POST /:slug/favorite'>) {}
 */
export type RouteParams<Path extends string, ServiceParams extends Params = Params> = Omit<
  ServiceParams,
  'route'
> & {
  route: { [Name in PlaceholderOf<Path>]: string }
}

type PlaceholderOf<Path> = Path extends `${infer Segment}/${infer Rest}`
  ? PlaceholderOf<Segment> | PlaceholderOf<Rest>
  : Path extends `:${infer Name}`
    ? Name
    : never

/**
 * Takes part in every call of a service. What its functions return for a method is compiled into the pipeline of that
 * method; `undefined` adds nothing. On the way in: hooks of the application, `admit`, hooks of the class, hooks of the
 * service with `input` among them, `innermost`, the method. On the way out: after hooks of the service, `complete`, after
 * hooks of the application, `output`.
 */
export interface ServiceExtension {
  /**
   * Reads the data of a call that a transport has made, before its hooks run. Of the option `schema` alone.
   *
   * @param sent What the client has sent
   * @returns What is different of it, with a `refusal` where it is not valid; `undefined` where nothing is
   */
  receive?(sent: SentData): Partial<SentData> | undefined
  /** Runs after all hooks of a method, before its event is sent. */
  output?(method: string): Step<HookContext> | undefined
  /** Runs after the before hooks of the application: what it throws refuses the call before its input is read. */
  admit?(method: string): Step<HookContext> | undefined
  /** Runs after the hooks of the service and its class, before the after hooks of the application. */
  complete?(method: string): Step<HookContext> | undefined
  /** Runs before the before hooks of the service, or after the last one that authenticates. */
  input?(method: string): Step<HookContext> | undefined
  /** Runs around the method itself, inside of all hooks. */
  innermost?(method: string): AroundHook<HookContext> | undefined
  /**
   * Takes part between this one and `access`: after it on the way in (`install`, `setup`, `input`), before it on the way out
   * and around. `show` of this one has to ask it.
   */
  readonly inner?: ServiceExtension | undefined
  /** Says who may call a method, for tools that read the pipeline. An extension without it refuses no caller. */
  who?(method: string): string
  /** What clients get to see of an event that the service sends by itself. Its context has no method. */
  show?(event: string, data: unknown, context: HookContext): unknown
  /**
   * Runs first when the service is registered.
   *
   * @throws Error to refuse the service
   */
  install?(service: FeathersService, path: string, app: object): void
  /**
   * Runs when the application is set up, before `setup` of the service.
   *
   * @throws Error so that the application does not start
   */
  setup?(service: FeathersService, path: string, app: object): Promise<void>
}

/** What a client has sent for a call, as far as its schema reads it. */
export interface SentData {
  readonly method: string
  readonly data?: unknown
  /** What the call fails with once its hooks have let the caller pass, and before the method runs. */
  readonly refusal?: Error | undefined
  /** The field of the request that the data was in, where it was in one: messages name faults with it. */
  readonly within?: string | undefined
}

/** Service options with nothing left out. Plugins may keep values of their own in them. */
export interface NormalizedServiceOptions {
  readonly methods: readonly string[]
  readonly events: readonly string[]
  readonly serviceEvents: readonly string[]
  readonly routeParams?: { [key: string]: any }
  readonly express?: { before?: any[]; after?: any[] }
  readonly koa?: { before?: any[]; after?: any[] }
  readonly forms?: boolean
  readonly schema?: ServiceExtension
  readonly access?: ServiceExtension
  readonly routes?: { readonly [route: string]: string }
  readonly by?: string
  readonly parent?: { readonly [field: string]: Parent }
  readonly singleton?: Singleton
  [key: string]: any
}

/** What registration adds to a service, which is an event emitter too. Types of v5 augment it and its base. */
export interface ServiceAddons<A = Application, S = Service> {
  id?: string

  /** Calls the listener for each record that a call has created, updated, patched or removed. */
  on(event: StandardEvent, listener: RecordListener<A, S>): this
  on<Name extends string | symbol>(event: OtherEvent<Name>, listener: EventListener): this
  /** The same for the next event alone. */
  once(event: StandardEvent, listener: RecordListener<A, S>): this
  once<Name extends string | symbol>(event: OtherEvent<Name>, listener: EventListener): this

  /** Registers hooks; see the guide on hooks for the shapes that it takes. */
  hooks(options: HookOptions<A, S>): this

  /** Chooses who receives the events of the service. */
  publish(publisher: Publisher<EventData<ServiceGenericType<S>>, A, S>): this

  /**
   * Chooses who receives one event of the service.
   *
   * @throws Error for an event that the service does not have
   */
  publish(event: string, publisher: Publisher<EventData<ServiceGenericType<S>>, A, S>): this

  /** The same as `publish`. */
  registerPublisher(publisher: Publisher<EventData<ServiceGenericType<S>>, A, S>): this
  registerPublisher(event: string, publisher: Publisher<EventData<ServiceGenericType<S>>, A, S>): this
}

/** The events that the standard methods send. */
type StandardEvent = 'created' | 'updated' | 'patched' | 'removed'

/** An event of the service itself. */
type OtherEvent<Name> = Name extends StandardEvent ? never : Name

/** Runs with the record that a call concerned, and the context of that call. */
type RecordListener<A, S> = (record: EventData<ServiceGenericType<S>>, context: HookContext<A, S>) => void

/** What an event is about: one record, where the result of the call is a list or a page. */
type EventData<T> = 0 extends 1 & T
  ? any
  : T extends Paginated<infer R> | CursorPage<infer R>
    ? R
    : T extends readonly (infer R)[]
      ? R
      : T

/** Calls with a context as last argument resolve to that context. */
export interface ServiceHookOverloads<S, P = Params> {
  find(params: P & { paginate?: PaginationParams }, context: HookContext): Promise<HookContext>
  get(id: ServiceGenericId<S>, params: P, context: HookContext): Promise<HookContext>
  create(
    data: ServiceGenericData<S> | ServiceGenericData<S>[],
    params: P,
    context: HookContext
  ): Promise<HookContext>
  update(
    id: ServiceGenericId<S> | null,
    data: ServiceGenericData<S>,
    params: P,
    context: HookContext
  ): Promise<HookContext>
  patch(
    id: ServiceGenericId<S> | null,
    data: ServiceGenericData<S>,
    params: P,
    context: HookContext
  ): Promise<HookContext>
  remove(id: ServiceGenericId<S> | null, params: P, context: HookContext): Promise<HookContext>
}

/** A registered service. */
export type FeathersService<A = Application, S = Service> = S &
  ServiceAddons<A, S> &
  Listeners &
  Pick<ServiceHookOverloads<S>, Extract<keyof ServiceHookOverloads<S>, keyof S>>

/** The records of a service. */
export type ServiceGenericType<S> = string extends keyof S
  ? any
  : S extends ServiceInterface<infer T, any, any, any, any>
    ? T
    : unknown

/** The data that `create` of a service takes. */
export type ServiceGenericData<S> = string extends keyof S
  ? any
  : S extends ServiceInterface<any, infer D, any, any, any>
    ? D
    : unknown

/** The params that the methods of a service take. */
export type ServiceGenericParams<S> = string extends keyof S
  ? any
  : S extends ServiceInterface<any, any, infer P, any, any>
    ? OrWhenUnknown<P, Params>
    : Params

/** The ids that the methods of a service take. */
export type ServiceGenericId<S> = string extends keyof S
  ? any
  : S extends ServiceInterface<any, any, any, any, infer I>
    ? OrWhenUnknown<I, Id>
    : Id

/** A service whose methods take no params says nothing about those of its hooks. */
type OrWhenUnknown<T, Fallback> = unknown extends T ? (0 extends 1 & T ? any : Fallback) : T

/** Only after hooks can rely on a result. */
interface WithoutResult {
  around: undefined
  before: undefined
  after: never
  error: undefined
}

/** Runs for every service that is registered. */
export type ServiceMixin<A> = (
  this: any,
  service: FeathersService<A>,
  path: string,
  options: NormalizedServiceOptions
) => void

/** A client transport that can be configured on an application. */
export type TransportConnection<Services = any> = {
  (app: Application<Services>): void
  Service: any
  service: <L extends keyof Services & string>(
    name: L
  ) => (keyof any extends keyof Services ? AnyService : Services[L]) & {
    /** Adds custom methods; see the guide on the client. */
    methods(...names: string[]): any
  }
}

export type { HookType } from '../hooks/types.ts'

type Serv<A> = 0 extends 1 & A ? any : A extends { services: infer Services } ? Services : never
/** What is known of the services of a typed application together. */
type SomeService<A> = keyof any extends keyof Serv<A> ? any : UnknownService

/** A service of `unknown` is one that was left out, as in `type HookContext<S = unknown> = …` of an application. */
type Known<A, S> = unknown extends S ? (0 extends 1 & S ? S : SomeService<A>) : S

/** A service of which only the standard methods are known. */
type UnknownService = object & ServiceInterface<unknown, unknown, Params, unknown>

/**
 * All that hooks know of one call, shared by all hooks of that call.
 *
 * With the name of a method, `data` and `result` are those of that method; with the type of hook `after`, the result
 * is there: `HookContext<Application, NoteService, 'create' | 'patch'>`.
 */
export interface HookContext<
  A = Application,
  S = SomeService<A>,
  Method extends string = string,
  Type extends HookType = HookType
> {
  /** The application that the service is registered on. */
  readonly app: A
  /** The registered service. */
  readonly service: S
  /** The data, for `create update patch` and custom methods. */
  data: DataByMethod<Known<A, S>>[Method & keyof DataByMethod<Known<A, S>>]
  /** The path of the service, without slashes at its ends. */
  path: keyof Serv<A> & string
  readonly method: Method
  /** The kind of hook that is running. */
  readonly type: Type
  /** The arguments of the method. Change `id`, `data` and `params` instead. */
  readonly arguments: any[]
  readonly self: S
  /** The id, for `get update patch remove`. */
  id?: Id
  params: ServiceGenericParams<S>
  /** The result. Setting it before the method runs skips the method; setting it in an error hook ends the error. */
  result: ResultByMethod<Known<A, S>>[Method & keyof ResultByMethod<Known<A, S>>] | WithoutResult[Type]
  /** What clients get instead of the result: any value, made by a hook. */
  dispatch?: unknown
  /** The error, in and after error hooks. */
  error?: any
  /** A copy of the context as it was when the error was caught. */
  original?: HookContext<A, S>
  /** The event to emit after the call; `null` for none. */
  event: string | null
  /** What to say about the HTTP response. Present on calls that come over HTTP. */
  http?: Http
  /** Another name of `http.status`. */
  statusCode?: number
  toJSON(): any
  [key: string]: any
}

/** A before, after or error hook. */
export type HookFunction<
  A = Application,
  S = SomeService<A>,
  Method extends string = string,
  Type extends HookType = HookType
> = (this: S, context: HookContext<A, S, Method, Type>) => Promise<HookContext | void> | HookContext | void

/** {@link HookFunction}, under the shorter of the two names that it has in Feathers v5. */
export type Hook<A = Application, S = SomeService<A>> = HookFunction<A, S>

/** An around hook: what it does before `next()` runs before the method, and the rest after it. */
export type AroundHookFunction<A = Application, S = SomeService<A>, Method extends string = string> = (
  context: HookContext<A, S, Method, 'around'>,
  next: NextFunction
) => Promise<void>

type OneOrMany<T> = T | readonly T[]
/** For maps whose other keys are free, so that a map of one shape is not taken for another. */
type Without<Keys extends string> = { [Key in Keys]?: never }

/** The name of a method as hooks see it: where every name is possible, they are all the same to a hook. */
type HookedMethod<S, Name> = string extends keyof S ? string : Name & string

/** Hooks of one type by method; those of `all` run for every method. */
type HooksByMethod<A, S, Type extends HookType> = {
  [Name in keyof S]?: OneOrMany<HookFunction<A, S, HookedMethod<S, Name>, Type>>
} & { all?: OneOrMany<HookFunction<A, S, string, Type>> }

type HooksOfType<A, S, Type extends HookType> =
  | OneOrMany<HookFunction<A, S, string, Type>>
  | HooksByMethod<A, S, Type>

/** Around hooks by method; those of `all` run around every method. */
export type AroundHookMap<A, S> = {
  [Name in keyof S]?: OneOrMany<AroundHookFunction<A, S, HookedMethod<S, Name>>>
} & { all?: OneOrMany<AroundHookFunction<A, S>> }

/** Hooks by type, then by method. */
export type HookMap<A, S> = {
  around?: OneOrMany<AroundHookFunction<A, S>> | AroundHookMap<A, S>
  before?: HooksOfType<A, S, 'before'>
  after?: HooksOfType<A, S, 'after'>
  error?: HooksOfType<A, S, 'error'>
}

/** What `service.hooks` takes. */
export type HookOptions<A, S> =
  | HookMap<A, S>
  | readonly AroundHookFunction<A, S>[]
  | (AroundHookMap<A, S> & Without<HookType>)

/** The context of `setup` and `teardown` hooks. */
export interface ApplicationHookContext<A = Application> extends AnyMembers {
  app: A
  server: any
  [key: string]: any
}

/** With these a hook may also be written for `HookContext`, as in Feathers v5. */
type AnyMembers = { [Name in keyof HookContext]: any }

/** A hook around `setup` or `teardown` of an application. */
export type ApplicationHookFunction<A> = (
  context: ApplicationHookContext<A>,
  next: NextFunction
) => Promise<void>

/** Hooks around `setup` and `teardown` of an application. */
export type ApplicationHookMap<A> = {
  setup?: OneOrMany<ApplicationHookFunction<A>>
  teardown?: OneOrMany<ApplicationHookFunction<A>>
}

type HooksOfAnyMethod<F> = { [method: string]: OneOrMany<F> | undefined }

type HooksOfEveryService<A> = {
  around?: OneOrMany<AroundHookFunction<A>> | HooksOfAnyMethod<AroundHookFunction<A>>
  before?: OneOrMany<BeforeHook<A>> | HooksOfAnyMethod<BeforeHook<A>>
  after?: OneOrMany<AfterHook<A>> | HooksOfAnyMethod<AfterHook<A>>
  error?: OneOrMany<ErrorHook<A>> | HooksOfAnyMethod<ErrorHook<A>>
}

type BeforeHook<A> = HookFunction<A, SomeService<A>, string, 'before'>
type AfterHook<A> = HookFunction<A, SomeService<A>, string, 'after'>
type ErrorHook<A> = HookFunction<A, SomeService<A>, string, 'error'>

/** What `app.hooks` takes. */
export type ApplicationHookOptions<A> =
  | (HooksOfEveryService<A> & Without<keyof ApplicationHookMap<A>>)
  | readonly AroundHookFunction<A>[]
  | (HooksOfAnyMethod<AroundHookFunction<A>> & Without<HookType | keyof ApplicationHookMap<A>>)
  | (ApplicationHookMap<A> & Without<HookType>)

/** What a path leads to. */
export interface RouteLookup {
  service: Service
  /**
   * What stood for the placeholders, `__id` for a segment after the path of the service, and `__rest` for several; not
   * decoded.
   */
  params: { [key: string]: any }
  /** The routes of the service, where it has some. */
  routes?: MethodRoutes
}

/** Finds the custom methods that have a verb and a path of their own. */
export interface MethodRoutes {
  /**
   * @param verb The verb of a request
   * @param rest Its path after that of the service, without a slash at its beginning
   * @returns The method, and what stood for placeholders, not decoded; `undefined` where no route matches
   */
  find(verb: string, rest: string): { method: string; params: { [name: string]: string } } | undefined
  /** The verbs that have a route for a path. */
  verbs(rest: string): string[]
}

/** An application whose services are registered under a path of another one. */
export type SubApplication = Pick<Application, 'service' | 'services'>

/** What can be registered under a path. */
export type Registrable<Services, Path extends keyof Services> = keyof any extends keyof Services
  ? AnyServiceInterface | SubApplication
  : Services[Path] extends { readonly [WRITTEN]: infer Written }
    ? Written
    : Services[Path] extends SomeMethods | SubApplication
      ? Services[Path]
      : SomeMethods

/** Where the type of a registered service has that of what is registered. It is never there. */
export declare const WRITTEN: unique symbol

/** Where the type of a service has what it is for clients: with dates as `values`, with strings for them as `json`. It is never there. */
export declare const REMOTE: unique symbol

type SomeMethods = object & ServiceInterface<any, any, any, any, any>

/** What is registered under a path. */
export type RegisteredService<Services, Path extends keyof Services> = keyof any extends keyof Services
  ? AnyService
  : Services[Path]

/** The methods of the service that belongs under a path. */
export type MethodName<Services, Path extends keyof Services> = keyof any extends keyof Services
  ? string
  : keyof Services[Path]

/** The options of the service that belongs under a path. */
export type RegistrationOptions<Services, Path extends keyof Services> = keyof any extends keyof Services
  ? ServiceOptions
  : Omit<ServiceOptions<MethodName<Services, Path>>, 'parent' | 'by'> & {
      by?: RecordField<Services[Path]> | undefined
      parent?:
        | {
            readonly [Field in RecordField<Services[Path]>]?:
              | PathBeside<Path, Services>
              | Parent<PathBeside<Path, Services>>
          }
        | undefined
    }

/** The fields of the records of a service. */
type RecordField<S> = FieldName<EventData<ServiceGenericType<S>>>

/** The fields of a record; any where they are not known. */
type FieldName<T> = unknown extends T ? string : keyof T & string

/** A path of a service; any beside a path that may be any, so that a typed application is good where another is asked for. */
type PathBeside<Path, Services> = 0 extends 1 & Path ? any : keyof Services & string

/** Who calls, for `app.asClient`. */
export interface AsClientOptions {
  /** The user who has logged in, as its service returns it. */
  readonly user?: object | undefined
  /** Credentials, which are verified as those of any client. */
  readonly authentication?: AuthenticationRequest | undefined
  /** What hooks see as the name of the transport; `rest` when left out. */
  readonly provider?: string | undefined
}

/** A service as its clients call it: what an envelope or a view changes is in its types. */
export type ServiceOfClient<S> = S extends { readonly [REMOTE]: { readonly values: infer Remote } }
  ? Remote
  : MethodsOf<S>

/** The methods of a service. Members with an underscore skip hooks and checks. */
type MethodsOf<S> = {
  [Name in keyof S as Name extends `_${string}`
    ? never
    : S[Name] extends (...args: never[]) => unknown
      ? Name
      : never]: S[Name]
}

/** The services of an application as one client calls them. */
export interface ServicesOfClient<Services> {
  /**
   * @param path The path of a service, with values in place of its placeholders
   * @returns The methods that clients can call. Of the params they take the `query` alone
   */
  service<L extends keyof Services & string>(
    path: L
  ): keyof any extends keyof Services ? AnyService : ServiceOfClient<Services[L]>
}

/** Services and settings by name, with hooks and events. */
export interface FeathersApplication<Services = any, Settings = any> {
  /** The version of the Feathers API that this application speaks. */
  version: string
  /** Functions that run for each service that is registered, in order. */
  mixins: ServiceMixin<Application<Services, Settings>>[]
  /** The registered services by path. Use `app.service(path)` to get one. */
  services: Services
  /** The settings; use `app.get` and `app.set`. */
  settings: Settings
  /** Where every service is found by path. */
  routes: RouteTable<{ service: Service; params?: { [key: string]: any } }>
  /** Whether `setup` ran. */
  _isSetup: boolean

  /** Returns a setting. */
  get<L extends keyof Settings & string>(name: L): Settings[L]

  /** Changes a setting. */
  set<L extends keyof Settings & string>(name: L, value: Settings[L]): this

  /** Runs a function with the application, as `this` and as argument. */
  configure(callback: (this: this, app: this) => void): this

  /** Returns a service for a path that has none, or throws. Clients put theirs in its place. */
  defaultService(location: string): ServiceInterface

  /**
   * Registers a service, or all services of another application under a path.
   *
   * @param path The path of the service; segments that begin with `:` are placeholders
   * @param service An object with service methods, or an application
   * @param options What clients may call, and which events there are
   * @throws Error for a path or an object that is not valid, and for a path that is taken
   */
  use<L extends keyof Services & string>(
    path: L,
    service: Registrable<Services, L>,
    options?: RegistrationOptions<Services, L>
  ): this

  /**
   * Serves paths by a Fetch function, on every HTTP transport: documents, pages, other protocols. It comes before the
   * services; of several prefixes the longest wins.
   *
   * @param prefix The beginning of the paths, such as `/docs`, without the prefix of the transport
   * @param handler Turns a `Request` into a `Response`
   * @throws Error for a prefix that is mounted already; TypeError for anything but a path and a function
   */
  mount(prefix: string, handler: MountedHandler): this

  /** Tears a service down, removes it and returns it. */
  unuse<L extends keyof Services & string>(
    path: L
  ): Promise<FeathersService<this, RegisteredService<Services, L>>>

  /**
   * Returns a registered service.
   *
   * @throws Error when there is none and `defaultService` does not provide one
   */
  service<L extends keyof Services & string>(path: L): FeathersService<this, RegisteredService<Services, L>>

  /**
   * Returns an authentication service; there once one was created. Without a path it is the one whose
   * configuration the setting `defaultAuthentication` names. As long as that is not registered there is none, and
   * it returns `null`.
   *
   * @throws Error when there is no service under the path
   */
  defaultAuthentication?(location?: string): DefaultAuthentication

  /**
   * Calls services as a client: what their methods resolve to is what would leave the server, and what they reject with too.
   * For bridges, jobs and tests. Applications of clients do not have it.
   *
   * @param options Who calls; a client without a login when left out
   * @throws TypeError for an option that is not valid
   * @example
   * const notes = app.asClient({ user }).service('notes')
   *
   * await notes.find({ query: { done: false } })
   */
  asClient(options?: AsClientOptions): ServicesOfClient<Services>

  /** Finds the service of a request path, and the id in it; `null` when there is none. */
  lookup(path: string): RouteLookup | null

  /** Calls `setup(app, path)` of every service, one after another, in the order of registration. */
  setup(server?: any): Promise<this>

  /** Calls `teardown(app, path)` of every service, one after another, in the order of registration. */
  teardown(server?: any): Promise<this>

  /** Registers hooks for all services, or for `setup` and `teardown`. */
  hooks(map: ApplicationHookOptions<this>): this

  /** The names of the channels that there are. */
  readonly channels: string[]

  /**
   * Returns the channel with a name, which is created when there is none, or several channels as one.
   *
   * @throws Error without a name
   */
  channel(...names: (string | string[])[]): Channel<RealTimeConnection>

  /** Chooses who receives the events of all services that have no publisher of their own. */
  publish(publisher: Publisher<any, this>): this

  /**
   * Chooses who receives one of the events `created`, `updated`, `patched`, `removed` of all services.
   *
   * @throws Error for another event
   */
  publish(event: string, publisher: Publisher<any, this>): this

  /** The same as `publish`. */
  registerPublisher(publisher: Publisher<any, this>): this
  registerPublisher(event: string, publisher: Publisher<any, this>): this

  /** What real-time connections come through: a server of Socket.IO, or on a client its socket. */
  io?: any

  /** The HTTP library of a client. */
  rest?: any

  /** Creates an HTTP server, sets the services up and starts to listen; there once a transport has a server. */
  listen?: any
}

/** Channels, lists of them, or nothing to send the event to no client. */
export type PublisherResult = Channel | readonly PublisherResult[] | undefined | null | false | void

/**
 * Chooses who receives an event: gets the item of the event, and the context of the call. For an event that a service
 * has sent itself the context has `path`, `service`, `app` and `result` alone.
 */
export type Publisher<T = any, A = Application, S = any> = (
  data: T,
  context: HookContext<A, S>
) => PublisherResult | Promise<PublisherResult>

/** An application. Its events are those of its parts, and `error` for what a listener threw. */
export interface Application<Services = any, Settings = any>
  extends FeathersApplication<Services, Settings>,
    Emitter {}

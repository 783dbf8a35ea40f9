import type { methods } from '../core/methods.ts'
import type { CursorPage, Paginated, PaginationOptions, REMOTE } from '../core/types.ts'

/** Custom methods by path, as unions of names. */
type CustomMethodNames<Services> = { readonly [Path in keyof Services]?: keyof Services[Path] }

/**
 * The services of a server as a client has them: their standard methods, and the custom ones that are listed. What
 * else a service has is for the server alone.
 *
 * @example
 * type Services = ClientServices<ServerServices, { messages: 'archive' }>
 */
export type ClientServices<Services, Custom extends CustomMethodNames<Services> = Record<never, never>> = {
  [Path in keyof Services]: OfClient<
    Services[Path],
    keyof typeof methods | (Path extends keyof Custom ? Custom[Path] : never)
  >
}

/** What an envelope or a view changes is in the types of its service, and that dates are strings. */
type OfClient<Service, Names> = 0 extends 1 & Service
  ? ClientMethods<Service, Extract<keyof Service, Names>>
  : Service extends { readonly [REMOTE]: { readonly json: infer Remote } }
    ? Pick<Remote, Extract<keyof Remote, Names>>
    : ClientMethods<Service, Extract<keyof Service, Names>>

type ClientMethods<Service, Names extends keyof Service> = {
  [Name in Names]: Name extends 'find' ? ClientFind<Service[Name]> : Service[Name]
}

/** A client cannot choose the pagination of a call. Methods that are not those of an adapter stay as they are. */
type ClientFind<Find> =
  Find extends AdapterFind<infer Result, infer ServiceParams>
    ? unknown extends Result
      ? Find
      : Finder<FindResult<Find, Result>, ServiceParams>['find']
    : Find

type FindResult<Find, Result> = Find extends ListFind
  ? Result[]
  : Find extends CursorFind
    ? CursorPage<Result>
    : Paginated<Result>

type CursorFind = (params?: { paginate?: undefined }) => Promise<CursorPage<any>>

type ListFind = (params?: { paginate?: undefined }) => Promise<any[]>

interface AdapterFind<Result, ServiceParams> {
  (params?: ServiceParams & { paginate?: undefined }): Promise<Paginated<Result>>
  (params: ServiceParams & { paginate: PaginationOptions }): Promise<Paginated<Result>>
  (params: ServiceParams & { paginate: false }): Promise<Result[]>
  (params?: ServiceParams): Promise<Paginated<Result> | Result[]>
}

/** A method and no type of a function, so that hooks see the params as the service has them. */
interface Finder<FindResult, ServiceParams> {
  find(params?: ServiceParams & { paginate?: never }): Promise<FindResult>
}

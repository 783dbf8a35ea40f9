import type { Query } from '../../core/types.ts'

/** The query of the `find` of a service. */
export type LiveQuery<Service> = Service extends { find(params?: infer Params): Promise<any> }
  ? Params extends { query?: infer Q }
    ? NonNullable<Q>
    : Query
  : Query

/** The records that the `find` of a service returns: in an array, in a page, or in an envelope. */
export type LiveRow<Service> = 0 extends 1 & Service
  ? any
  : Service extends { find(...args: any[]): Promise<infer Result> }
    ? RowOf<Result>
    : any

type RowOf<Result> = Result extends readonly (infer Row)[]
  ? Row
  : Result extends { readonly data: readonly (infer Row)[] }
    ? Row
    : { [Name in keyof Result]: Result[Name] extends readonly (infer Row)[] ? Row : never }[keyof Result]

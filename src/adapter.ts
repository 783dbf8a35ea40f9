export { AdapterBase } from './adapter/base.ts'
export type { Keyed, KeyedStore, KeyRange } from './adapter/cursor-page.ts'
export type { Key } from './adapter/cursors.ts'
export { type AdapterMethods, type FindMethod, implementService } from './adapter/methods.ts'
export {
  type AdapterOptions,
  type AdapterParams,
  getLimit,
  isPaginated,
  type NormalizedOptions,
  toPage
} from './adapter/options.ts'
export { FILTERS, type FilterQueryOptions, filterQuery, OPERATORS, select, sorter } from './adapter/query.ts'
export { VALIDATED } from './query/validated.ts'

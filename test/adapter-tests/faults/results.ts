import { memory } from '../../../src/memory.ts'
import { compareAny } from '../../../src/query.ts'
import { type Fault, faulty, missort, toName } from './fault.ts'

/** Faults of results: fields, pages, order. */
export const resultFaults: readonly Fault[] = [
  faulty(
    '$select leaves out the id',
    '$select returns the fields that it names, and the id',
    ({ _find }, service) => ({
      _find: async (params: any) => {
        const found = await _find(params)

        if (params?.query?.$select && Array.isArray(found)) {
          for (const record of found) delete record[service.id]
        }
        return found
      }
    })
  ),
  faulty('the total counts the page', 'the total of a page counts all records that match', ({ _find }) => ({
    _find: async (params: any) => {
      const found = await _find(params)

      return Array.isArray(found) ? found : { ...found, total: found.data.length }
    }
  })),
  faulty('$limit of 0 is no limit', '$limit of 0 returns an empty array', ({ find }) => ({
    find: (params: any = {}) => {
      const { $limit, ...query } = params.query ?? {}

      return find($limit === 0 ? { ...params, query } : params)
    }
  })),
  faulty(
    '$skip counts before the conditions',
    '$limit and $skip count the records that match',
    ({ _find }) => ({
      _find: async (params: any = {}) => {
        const { $skip, $limit, $sort = {}, ...conditions } = params.query ?? {}

        if (!$skip || !$limit) return _find(params)

        const skipped = (await _find({ query: { $sort, $limit: $skip }, paginate: false })).map(toName)
        const query = { ...conditions, $sort, $limit, $and: [{ name: { $nin: skipped } }] }

        return _find({ ...params, query })
      }
    })
  ),
  faulty(
    'the newest record comes first',
    'records come in the order in which they were created, and changes keep their places',
    ({ _find }) => ({
      _find: async (params: any) => {
        const found = await _find(params)

        return Array.isArray(found) && !params?.query?.$sort ? found.reverse() : found
      }
    })
  ),
  faulty(
    '`params.paginate` is ignored',
    '`params.paginate` of false returns all records in an array',
    ({ find }) => ({ find: ({ paginate, ...params }: any = {}) => find(params) })
  ),
  faulty(
    'the maximum is ignored',
    '$limit chooses the size of a page, up to the maximum',
    ({ find }, service) => ({
      find: (params: any = {}) => {
        const { max, ...paginate } = service.options.paginate || {}

        return find(max === undefined || params.paginate === false ? params : { ...params, paginate })
      }
    })
  ),
  missort('null comes last', 'null and missing come first, and last when descending', (a, b) => {
    if (a == null || b == null) return a == null ? (b == null ? 0 : 1) : -1

    return compareAny(a, b)
  }),
  missort('text is sorted as people do', 'text is ordered by the codes of its characters', (a, b) =>
    typeof a === 'string' && typeof b === 'string' ? a.localeCompare(b) : compareAny(a, b)
  ),
  missort('numbers are sorted as text', '$sort orders by a field, ascending and descending', (a, b) =>
    a == null || b == null ? compareAny(a, b) : compareAny(String(a), String(b))
  ),
  {
    does: 'the second field of $sort is ignored',
    breaks: 'a second field orders what the first leaves equal',
    create: (options) =>
      memory({
        ...options,
        sorter: (sort) => {
          const [[name, direction] = ['', 1]] = Object.entries(sort)

          return (a, b) => compareAny(a[name], b[name]) * Number(direction)
        }
      })
  }
]

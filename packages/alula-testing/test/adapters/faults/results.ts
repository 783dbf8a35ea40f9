import { memory } from '../../../../../src/memory.ts'
import { compareAny, parseQuery, toPredicate } from '../../../../../src/query.ts'
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
  faulty(
    'conditions see what is selected, and nothing else',
    'conditions of every method may use fields that are not selected',
    ({ _remove, _find }, service) => ({
      _remove: async (id: any, params: any) => {
        const { $select, ...conditions } = params?.query ?? {}

        if (id !== null || !$select) return _remove(id, params)

        const found = await _find({ query: { $select }, paginate: false })
        const matches = found.filter(toPredicate(parseQuery(conditions).where))

        return Promise.all(matches.map((record: any) => _remove(record[service.id], { query: { $select } })))
      }
    })
  ),
  faulty(
    'fields are selected that a record has from its prototype',
    'names that every object has select nothing',
    ({ _find }) => ({
      _find: async (params: any) => {
        const found = await _find(params)

        for (const name of params?.query?.$select ?? []) {
          for (const record of found) if (name in record) record[name] = String(record[name])
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
    'a list of ids decides about the order',
    'conditions on ids do not change the order',
    ({ _find }, service) => ({
      _find: async (params: any) => {
        const found = await _find(params)
        const { $in } = params?.query?.[service.id] ?? {}

        return $in
          ? found.sort((a: any, b: any) => $in.indexOf(a[service.id]) - $in.indexOf(b[service.id]))
          : found
      }
    })
  ),
  faulty(
    'the last record takes the place of one that is removed',
    'records come in the order in which they were created, and changes keep their places',
    ({ _remove }, service) => ({
      _remove: async (id: any, params: any) => {
        const records = service.store
        const removed = await _remove(id, params)
        const entries: any[] = Object.values(records)
        const last = entries.pop()

        service.store = Object.fromEntries(
          entries.map((record) => (String(record[service.id]) === String(id) ? last : record)).entries()
        )
        return removed
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
    '`params.adapter` counts for all calls that come later',
    '`params.adapter.paginate` counts before everything else',
    ({ find }, service) => ({
      find: (params: any = {}) => {
        Object.assign(service.options, params.adapter)

        return find(params)
      }
    })
  ),
  faulty(
    'without a total there is no page',
    'a page without its total has the rest of it',
    ({ _find }, service) => ({
      _find: async (params: any) => {
        const found = await _find(params)

        return service.options.paginate.total === false ? found.data : found
      }
    })
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

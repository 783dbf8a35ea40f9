import { type Fault, faulty } from './fault.ts'

/** Faults of calls that concern several records. */
export const multiFaults: readonly Fault[] = [
  faulty(
    'an array is stored record by record',
    'create of an array stores all records or none: an id in it is taken',
    ({ _create }) => ({
      _create: async (data: any, params: any) => {
        if (!Array.isArray(data)) return _create(data, params)

        const created = []

        for (const item of data) created.push(await _create(item, params))
        return created
      }
    })
  ),
  faulty(
    'patch of several records asks the query again for its result',
    'patch without an id returns the records even if they no longer match',
    ({ _patch, _find }) => ({
      _patch: async (id: any, data: any, params: any) => {
        const patched = await _patch(id, data, params)

        return id === null ? _find({ ...params, paginate: false }) : patched
      }
    })
  ),
  faulty(
    'remove respects $limit',
    'remove without an id does not look at $limit, $skip and the pagination',
    ({ _remove, remove }, service) => ({
      remove: async (id: any, params: any) => {
        if (id !== null || params?.query?.$limit === undefined) return remove(id, params)

        const records = await service.find({ ...params, paginate: false })

        return Promise.all(records.map((record: any) => _remove(record[service.id])))
      }
    })
  ),
  faulty(
    'remove of several records is paginated',
    'remove without an id does not look at $limit, $skip and the pagination',
    ({ _remove, _find }, service) => ({
      _remove: async (id: any, params: any) => {
        if (id !== null) return _remove(id, params)

        const found = await _find(params)

        return Promise.all((found.data ?? found).map((record: any) => _remove(record[service.id], params)))
      }
    })
  ),
  faulty(
    'remove with an order is a statement that the database does not know',
    'methods other than find do not look at $sort',
    ({ _remove }) => ({
      _remove: (id: any, params: any) => {
        if (params?.query?.$sort) throw new Error('syntax error')

        return _remove(id, params)
      }
    })
  ),
  faulty(
    '`multi` is read when the service is made',
    '`params.adapter` allows and forbids several records for one call',
    (_right, service) => ({ allowsMulti: () => service.options.multi === true })
  ),
  faulty(
    'update with null replaces everything',
    'update replaces single records only, whatever `multi` says',
    ({ update, _patch }) => ({
      update: (id: any, data: any, params: any) =>
        id === null ? _patch(null, data, params) : update(id, data, params)
    })
  ),
  faulty(
    'the first record of an array decides about the fields of all',
    'create of an array takes records with different fields',
    ({ _create }) => ({
      _create: (data: any, params: any) => {
        const pickFirst = (item: any) =>
          Object.fromEntries(Object.entries(item).filter(([name]) => Object.hasOwn(data[0], name)))

        return _create(Array.isArray(data) ? data.map(pickFirst) : data, params)
      }
    })
  ),
  faulty(
    'a patch concerns the first thousand records',
    'a thousand and one records are created, found, patched and removed at once',
    ({ _patch, _find }, service) => ({
      _patch: async (id: any, data: any, params: any) => {
        if (id !== null) return _patch(id, data, params)

        const found = await _find({ query: { ...params?.query, $limit: 1000 }, paginate: false })

        return Promise.all(found.map((record: any) => _patch(record[service.id], data, params)))
      }
    })
  ),
  faulty(
    'an array comes back in another order',
    'create of an array returns the records in its order, each with an id',
    ({ _create }) => ({
      _create: async (data: any, params: any) => {
        const created = await _create(data, params)

        return Array.isArray(created) ? created.sort((a, b) => (a.name < b.name ? -1 : 1)) : created
      }
    })
  )
]

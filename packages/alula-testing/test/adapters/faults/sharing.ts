import { type Fault, faulty, withoutConditions } from './fault.ts'

/** Faults of a store that shares what it stores, or that is not alone when it writes. */
export const sharingFaults: readonly Fault[] = [
  faulty('returns what is stored', 'a change of a result does not reach the store', ({ _get }, service) => ({
    _get: async (id: any, params: any) => (await _get(id, params)) && service._records.get(id).record
  })),
  faulty(
    'returns nested objects that are stored',
    'nested objects and arrays are not shared with results',
    ({ _get }, service) => ({
      _get: async (id: any, params: any) => {
        const copy = await _get(id, params)
        const { record } = service._records.get(id)

        for (const name of Object.keys(copy)) copy[name] = record[name]
        return copy
      }
    })
  ),
  faulty(
    'stores the data itself',
    'a change of the data after create does not reach the store',
    ({ _create }, service) => ({
      _create: async (data: any, params: any) => {
        const created = await _create(data, params)

        if (!Array.isArray(data) && created) {
          service._records.get(created[service.id]).record = Object.assign(data, created)
        }
        return created
      }
    })
  ),
  faulty(
    'puts the id into the data',
    'create does not change the data that it gets',
    ({ _create }, service) => ({
      _create: async (data: any, params: any) => {
        const created = await _create(data, params)

        if (!Array.isArray(data)) data[service.id] = created[service.id]
        return created
      }
    })
  ),
  faulty('removes $limit from the query it gets', 'params and queries are not changed', ({ find }) => ({
    find: (params: any = {}) => {
      const result = find(structuredClone(params))

      delete params.query?.$limit
      return result
    }
  })),
  faulty(
    'remembers queries by their objects',
    'a query that is changed after a call means something else in the next one',
    ({ _find }) => {
      const remembered = new WeakMap()

      return {
        _find: (params: any = {}) => {
          if (!params.query) return _find(params)
          if (!remembered.has(params.query)) remembered.set(params.query, structuredClone(params.query))

          return _find({ ...params, query: remembered.get(params.query) })
        }
      }
    }
  ),
  faulty('sorts what is stored', 'a read changes nothing', ({ _find }, service) => ({
    _find: async (params: any) => {
      const found = await _find(params)

      if (params?.query?.$sort?.name) service.store = Object.fromEntries(found.entries())
      return found
    }
  })),
  faulty(
    'patch waits between reading and writing',
    'of fifty that take what is free by a patch, one gets it',
    ({ _get, _patch }) => ({
      _patch: async (id: any, data: any, params: any) => {
        if (id !== null) await _get(id, params)
        await Promise.resolve()
        return _patch(id, data, id === null ? params : withoutConditions(params))
      }
    })
  ),
  faulty(
    'patch writes back the whole record that it has read before',
    'patches of different fields lose none',
    ({ _get, _patch, _update }) => ({
      _patch: async (id: any, data: any, params: any) => {
        if (id === null) return _patch(id, data, params)

        return _update(id, { ...(await _get(id, withoutConditions(params))), ...data }, params)
      }
    })
  ),
  faulty(
    'create waits between looking for an id and storing',
    'of fifty that create a record with one id, one does',
    ({ _create, _get }, service) => ({
      _create: async (data: any, params: any) => {
        const id = data?.[service.id]

        if (id === undefined || id === null || (await _get(id).catch(() => null)))
          return _create(data, params)

        service._records.set(id, { ...data })
        return _get(id, withoutConditions(params))
      }
    })
  )
]

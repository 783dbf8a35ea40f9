import { type Fault, faulty, withoutConditions } from './fault.ts'

/** Faults of methods that read a query or an id. */
export const callFaults: readonly Fault[] = [
  faulty(
    'get ignores the query',
    'get of a record that does not match the query is a NotFound',
    ({ _get }) => ({ _get: (id: any, params: any) => _get(id, withoutConditions(params)) })
  ),
  faulty(
    'update ignores the query',
    'update of a record that does not match the query is a NotFound and changes nothing',
    ({ _update }) => ({
      _update: (id: any, data: any, params: any) => _update(id, data, withoutConditions(params))
    })
  ),
  faulty(
    'update looks for its record with find',
    'update does not look at $limit, $skip and the pagination',
    ({ update }, service) => ({
      update: async (id: any, data: any, params: any) => {
        const found = await service.find({ ...params, query: { ...params?.query, [service.id]: id } })
        const [record] = found.data ?? found

        return update(record ? id : 'no id', data, params)
      }
    })
  ),
  faulty(
    'update checks the query after it has written',
    'update of a record that does not match the query is a NotFound and changes nothing',
    ({ _update, _get }) => ({
      _update: async (id: any, data: any, params: any) => {
        const matched = await _get(id, params).catch((error: any) => error)
        const result = await _update(id, data, withoutConditions(params))

        if (matched instanceof Error) throw matched
        return result
      }
    })
  ),
  faulty(
    'patch ignores the query when there is an id',
    'patch of a record that does not match the query is a NotFound and changes nothing',
    ({ _patch }) => ({
      _patch: (id: any, data: any, params: any) =>
        _patch(id, data, id === null ? params : withoutConditions(params))
    })
  ),
  faulty(
    'remove ignores the query when there is an id',
    'remove of a record that does not match the query is a NotFound and removes nothing',
    ({ _remove }) => ({
      _remove: (id: any, params: any) => _remove(id, id === null ? params : withoutConditions(params))
    })
  ),
  faulty('remove of what is gone succeeds', 'a record is removed once', ({ _remove }) => ({
    _remove: (id: any, params: any) =>
      _remove(id, params).catch((error: any) => {
        if (id === null) throw error
      })
  })),
  faulty(
    'an unknown id is an error of no kind',
    'get of an id that no record has is a NotFound that names the id',
    ({ _get }) => ({
      _get: (id: any, params: any) =>
        _get(id, params).catch(() => {
          throw new TypeError('Cannot read properties of undefined')
        })
    })
  ),
  faulty(
    'ids are looked up by their type',
    'get takes an id as text, as it stands in a URL',
    ({ _get }, service) => ({
      _get: async (id: any, params: any) => {
        const record = await _get(id, params)

        return record[service.id] === id ? record : _get('no id')
      }
    })
  ),
  faulty(
    'text is made a number before an id is looked up',
    'text that only looks like the number of an id is a NotFound',
    ({ _get, _patch, _remove }) => {
      const toId = (id: any) => (typeof id === 'string' && !Number.isNaN(Number(id)) ? Number(id) : id)

      return {
        _get: (id: any, params: any) => _get(toId(id), params),
        _patch: (id: any, data: any, params: any) => _patch(toId(id), data, params),
        _remove: (id: any, params: any) => _remove(toId(id), params)
      }
    }
  ),
  faulty(
    'records are looked up in a plain object',
    'the unknown id "constructor" is a NotFound for every method',
    ({ _get }) => ({ _get: async (id: any, params: any) => (({}) as any)[id] ?? (await _get(id, params)) })
  ),
  faulty(
    'remove looks ids up by their type',
    'every method finds an id that is a number by its text',
    ({ _get, _remove }, service) => ({
      _remove: async (id: any, params: any) =>
        id === null || (await _get(id))[service.id] === id ? _remove(id, params) : _remove('no id')
    })
  ),
  faulty(
    'the id and $or are joined without brackets',
    'conditions apply to get, update, patch and remove as to find',
    ({ _get, _find }) => ({
      _get: (id: any, params: any) =>
        _get(id, params).catch(async (error: any) => {
          const [other] = params?.query?.$or ? await _find(params) : []

          if (!other) throw error
          return other
        })
    })
  ),
  faulty('ids are not checked', '{ $ne: null } is no id', (_right, service) => ({
    get: (id: any, params: any) => service._get(id, params)
  })),
  faulty(
    'queries are not checked',
    'every method refuses a malformed query, before it changes anything',
    (_right, service) => ({
      patch: (id: any, data: any) => service._patch(id, data, { query: {} })
    })
  )
]

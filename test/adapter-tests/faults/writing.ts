import { type Fault, faulty } from './fault.ts'

/** Faults of methods that write. */
export const writingFaults: readonly Fault[] = [
  faulty(
    'create overwrites what has the id',
    'an id that is taken is a Conflict, and the record that has it stays',
    ({ _create, _remove }, service) => ({
      _create: async (data: any, params: any) => {
        if (data[service.id] !== undefined) await _remove(data[service.id]).catch(() => undefined)

        return _create(data, params)
      }
    })
  ),
  faulty('update merges', 'update replaces the whole record and returns it', ({ _patch }) => ({
    _update: _patch
  })),
  faulty(
    'patch replaces',
    'patch changes the given fields, leaves the others, and returns the record',
    ({ _patch, _update }) => ({
      _patch: (id: any, data: any, params: any) =>
        id === null ? _patch(id, data, params) : _update(id, data, params)
    })
  ),
  faulty('patch changes the id', 'patch does not change the id', ({ _patch, _remove, _create }, service) => ({
    _patch: async (id: any, data: any, params: any) => {
      const patched = await _patch(id, data, params)

      if (id === null || data[service.id] === undefined) return patched

      return _create({ ...(await _remove(id)), [service.id]: data[service.id] })
    }
  })),
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
    'patch without an id returns the records even if they do not match any more',
    ({ _patch, _find }) => ({
      _patch: async (id: any, data: any, params: any) => {
        const patched = await _patch(id, data, params)

        return id === null ? _find({ ...params, paginate: false }) : patched
      }
    })
  ),
  faulty(
    'patch asks the query again for its result',
    'patch returns the record even if it does not match any more',
    ({ _patch, _get }) => ({
      _patch: async (id: any, data: any, params: any) => {
        const patched = await _patch(id, data, params)

        return id === null ? patched : _get(id, params)
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
    'ids that are made do not skip those that are taken',
    'ids that the store makes skip those that are taken',
    (_right, service) => ({ generateId: () => service.nextId++ })
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
  ),
  faulty(
    'null is not stored',
    'patch changes the given fields, leaves the others, and returns the record',
    ({ _patch }) => ({
      _patch: (id: any, data: any, params: any) =>
        _patch(id, Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null)), params)
    })
  ),
  faulty(
    'a prototype in the data becomes that of the record',
    'a name `__proto__` in data changes no prototype',
    ({ _create }) => ({
      _create: async (data: any, params: any) =>
        Object.setPrototypeOf(
          await _create(data, params),
          Object.getOwnPropertyDescriptor(data, '__proto__')?.value ?? Object.prototype
        )
    })
  )
]

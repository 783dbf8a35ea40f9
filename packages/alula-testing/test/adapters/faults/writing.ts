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
    'patch asks the query again for its result',
    'patch returns the record even if it no longer matches',
    ({ _patch, _get }) => ({
      _patch: async (id: any, data: any, params: any) => {
        const patched = await _patch(id, data, params)

        return id === null ? patched : _get(id, params)
      }
    })
  ),
  faulty(
    'update with nothing does nothing',
    'update with nothing leaves nothing but the id',
    ({ _update, _get }) => ({
      _update: (id: any, data: any, params: any) =>
        Object.keys(data).length === 0 ? _get(id, params) : _update(id, data, params)
    })
  ),
  faulty(
    'an update that changes nothing finds nothing, by the count of MySQL',
    'update with what is there changes nothing, and returns the record',
    ({ _update, _get }) => ({
      _update: async (id: any, data: any, params: any) =>
        _update(isSubset(data, await _get(id, params)) ? 'no id' : id, data, params)
    })
  ),
  faulty(
    'a patch without fields is a statement without an end',
    'patch with nothing changes nothing',
    ({ _patch }, service) => ({
      _patch: (id: any, data: any, params: any) => {
        if (Object.keys(data).every((name) => name === service.id)) throw new Error('syntax error')

        return _patch(id, data, params)
      }
    })
  ),
  faulty(
    'a patch of the id alone is a statement without an end',
    'patch does not change the id',
    ({ _patch }, service) => ({
      _patch: (id: any, { [service.id]: key, ...data }: any, params: any) => {
        if (key !== undefined && Object.keys(data).length === 0) throw new Error('syntax error')

        return _patch(id, data, params)
      }
    })
  ),
  faulty(
    'a patch that changes nothing finds nothing, by the count of MySQL',
    'patch with what is there changes nothing, and returns the record',
    ({ _patch, _get }) => ({
      _patch: async (id: any, data: any, params: any) =>
        _patch(id !== null && isSubset(data, await _get(id, params)) ? 'no id' : id, data, params)
    })
  ),
  faulty(
    'a record without fields is a statement without an end',
    'a record may have no fields but its id',
    ({ _create }) => ({
      _create: (data: any, params: any) => {
        if (Object.keys(data).length === 0) throw new Error('syntax error')

        return _create(data, params)
      }
    })
  ),
  faulty(
    'data is asked by a method that it may not have',
    'data without a prototype is as good as other data',
    ({ _create }) => ({ _create: async (data: any, params: any) => _create(data.valueOf(), params) })
  ),
  faulty(
    'an id that is given and null is an id',
    'every record without an id gets one of its own',
    ({ _create }, service) => ({
      _create: (data: any, params: any) =>
        _create(data[service.id] === null ? { ...data, [service.id]: 'null' } : data, params)
    })
  ),
  faulty(
    'an id that reads as a number is made one',
    'an id that is text stays text, also where it reads as a number',
    ({ _create }, service) => ({
      _create: (data: any, params: any) =>
        _create(
          /^\d+$/.test(data[service.id]) ? { ...data, [service.id]: Number(data[service.id]) } : data,
          params
        )
    })
  ),
  ...['_create', '_update', '_patch'].map((method) =>
    faulty(
      `${method} stores the empty text as null`,
      `${method.slice(1)} keeps a value of every kind`,
      ({ [method]: write }) => ({
        [method]: (...args: any[]) =>
          write(...args.map((argument) => (argument?.name === '' ? { ...argument, name: null } : argument)))
      })
    )
  ),
  faulty(
    'ids that are made do not skip those that are taken',
    'ids that the store makes skip those that are taken',
    (_right, service) => ({ _generateId: () => service.nextId++ })
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

function isSubset(part: any, whole: any): boolean {
  return Object.entries(part).every(([name, value]) => whole[name] === value)
}

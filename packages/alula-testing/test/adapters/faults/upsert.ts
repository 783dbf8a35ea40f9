import { memory } from '../../../../../src/memory.ts'
import { type Fault, withoutConditions } from './fault.ts'

/** A memory service that keeps no key unique, whose methods are replaced. */
function unkeyed(does: string, breaks: string, change: (service: any) => object): Fault {
  return {
    does,
    breaks,
    create: ({ upsert, ...options }) => {
      const service: any = memory(options)

      Object.assign(service.options, { upsert })

      return Object.assign(service, change(service))
    }
  }
}

/** Faults of stores whose services have `upsert`. */
export const upsertFaults: readonly Fault[] = [
  unkeyed(
    'nothing keeps the values of a key unique',
    'values of the key that another record has are a Conflict for the other methods',
    () => ({})
  ),
  unkeyed(
    'a record is created twice where others come between',
    'a record that others create meanwhile is patched',
    () => ({})
  ),
  {
    does: 'a patch does not look at the values of the key',
    breaks: 'a record to which others give other values of the key is not patched',
    create: (options) => {
      const service: any = memory(options)
      const { _patch } = service

      return Object.assign(service, {
        _patch: (id: any, data: any, params: any) => _patch.call(service, id, data, withoutConditions(params))
      })
    }
  },
  {
    does: 'a key of two fields is one of them',
    breaks: 'a key of two fields is both of them',
    create: ({ upsert, ...options }) =>
      memory({ ...options, ...(upsert && { upsert: { by: upsert.by.slice(0, 1) } }) })
  },
  {
    does: 'every service has the method',
    breaks: 'a service without the option `upsert` does not have the method',
    create: (options) => memory({ upsert: { by: ['name'] }, ...options })
  }
]

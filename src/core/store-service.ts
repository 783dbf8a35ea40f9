// Services in which the library keeps something, such as sessions.
import { createError } from '../utils/developer-error.ts'
import { getServiceOptions } from './service.ts'

const METHODS = ['_find', '_get', '_create', '_patch', '_remove'] as const

/** The methods of an adapter, which neither emit events nor run hooks. */
export type StoreAdapter = {
  readonly [method in (typeof METHODS)[number]]: (...args: any[]) => Promise<any>
} & {
  /** The name of the id. */
  readonly id?: string
}

/** Checks that a service can be a store, and that clients cannot reach it. Throws an Error that says what is wrong. */
export function assertStoreService(
  service: any,
  path: string,
  option: string,
  content: string
): asserts service is StoreAdapter {
  const missing = METHODS.filter((method) => typeof service?.[method] !== 'function')

  if (missing.length > 0) {
    throw createError(
      'ALULA_INVALID_OPTION',
      `The service '${path}' of the option '${option}' cannot keep ${content}: expected an adapter, with ${missing.join(', ')}`
    )
  }
  if (getServiceOptions(service).methods.length > 0) {
    throw createError(
      'ALULA_INVALID_OPTION',
      `Clients can reach the service '${path}' of the option '${option}': register it with { methods: [] }`
    )
  }
}

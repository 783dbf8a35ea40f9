import {
  AdapterBase,
  type AdapterMethods,
  type AdapterOptions,
  implementService,
  VALIDATED
} from '../../src/adapter.ts'
import type { ParsedQuery } from '../../src/query.ts'

export const METHODS = ['find', 'get', 'create', 'update', 'patch', 'remove']

/** A query that a schema has checked. */
export const validated = (query: object) => Object.defineProperty(query, VALIDATED, { value: true })

/** An adapter that keeps nothing. It notes with what its methods are called, and answers with it. */
export class EchoAdapter extends AdapterBase {
  readonly calls: any[] = []

  constructor(options: AdapterOptions = {}) {
    super(options)
  }

  /** Opens what adapters have for themselves. */
  parse(params?: any): ParsedQuery {
    return this.parseQuery(params)
  }

  async _find(params?: any) {
    return this.note({ method: '_find', params })
  }

  async _get(id: unknown, params?: any) {
    return this.note({ method: '_get', id, params })
  }

  async _create(data: any, params?: any) {
    return this.note({ method: '_create', data, params })
  }

  async _update(id: unknown, data: any, params?: any) {
    return this.note({ method: '_update', id, data, params })
  }

  async _patch(id: unknown, data: any, params?: any) {
    return this.note({ method: '_patch', id, data, params })
  }

  async _remove(id: unknown, params?: any) {
    return this.note({ method: '_remove', id, params })
  }

  private note(call: { method: string; params?: any; [argument: string]: unknown }): any {
    const isMarked = Object.getOwnPropertySymbols(call.params ?? {}).length > 0
    const noted = isMarked ? { ...call, params: hideSymbols(call.params) } : call

    this.calls.push(noted)

    return noted
  }
}

/** The same params, whose symbols a comparison does not see. */
function hideSymbols(params: object): object {
  const copy: object = Object.fromEntries(Object.entries(params))

  for (const name of Object.getOwnPropertySymbols(params)) {
    Object.defineProperty(copy, name, { value: (params as any)[name] })
  }

  return copy
}

/** The same with the public methods. */
export class EchoService extends EchoAdapter {}

export interface EchoService extends AdapterMethods<any, any, any, any, any> {}

implementService(EchoService)

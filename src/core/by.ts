import { copyWith } from '../utils/object.ts'
import { getDefinition } from './methods.ts'
import type { Params } from './types.ts'

/** The params of a call that names its record by another field than the id; `id` is the value of that field. */
export function withLookupField(
  service: object,
  by: string | undefined,
  method: string,
  id: unknown,
  params: Params & { adapter?: object }
): Params {
  if (by === undefined || id === undefined || id === null || !getDefinition(method).args.includes('id')) {
    return params
  }

  return copyWith(params, { adapter: copyWith(params.adapter, { id: by, by: service }) }) as Params
}

import type { FeathersError } from 'alula/errors'
import fc, { type Arbitrary } from 'fast-check'
import { copy } from './copy.ts'
import { type Arbitraries, ID_COUNT, type RandomRecord } from './random.ts'
import { type Setup, toChosenId } from './setup.ts'
import type { TestedService } from './types.ts'

/** One call of a method, in which ids are numbers. */
export interface AdapterCall {
  readonly method: 'find' | 'get' | 'create' | 'update' | 'patch' | 'remove'
  readonly params: { readonly query: object; readonly paginate?: object | boolean }
  /** Which record; `null` for all. */
  readonly number?: number | null
  /** Whether the id is passed as text. */
  readonly asText?: boolean
  readonly data?: object
  /** For `create`: the records. One is passed by itself, several in an array. */
  readonly records?: readonly RandomRecord[]
}

/** What came of a call: a result, or the status of an error. */
export type AdapterOutcome =
  | { readonly result: unknown }
  | { readonly status: number; readonly error: string }

/** @internal Calls of `find` with pages of all kinds. */
export function toFindCalls({ query }: Arbitraries): Arbitrary<readonly AdapterCall[]> {
  const paginate = fc.constantFrom(false, { default: 3 }, { default: 2, max: 4 }, { max: 4 })

  return fc.array(
    fc.record({ method: fc.constant('find' as const), params: fc.record({ query, paginate }) }),
    { minLength: 1, maxLength: 4 }
  )
}

/** @internal Calls of all methods. */
export function toCalls(
  { conditions, fields, query, records }: Arbitraries,
  { ids }: Setup
): Arbitrary<readonly AdapterCall[]> {
  const number = fc.integer({ min: 1, max: ID_COUNT })
  const params = fc.record({ query: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, conditions) })
  const target = { number, asText: fc.boolean(), params }
  const call = (
    method: AdapterCall['method'],
    rest: { [name: string]: Arbitrary<unknown> }
  ): Arbitrary<AdapterCall> => fc.record({ method: fc.constant(method), ...rest }) as Arbitrary<any>

  const creating = call('create', {
    params,
    records: fc.oneof(fc.tuple(fc.record({ number, fields })), records)
  })

  return fc.array(
    fc.oneof(
      call('find', { params: fc.record({ query }) }),
      call('get', target),
      call('patch', { ...target, data: fields }),
      call('patch', { ...target, data: fields, number: fc.constant(null) }),
      call('update', { ...target, data: fields }),
      call('remove', target),
      call('remove', { ...target, number: fc.constant(null) }),
      ...(ids.length > 0 ? [creating] : [])
    ),
    { minLength: 1, maxLength: 8 }
  )
}

/** Makes a call; `ids` are those of the records, by their numbers. */
export async function perform(
  service: TestedService,
  call: AdapterCall,
  ids: ReadonlyMap<number, unknown>,
  setup: Setup
): Promise<AdapterOutcome> {
  // Random data is used again, also after an adapter has changed what it got.
  const { method, params, number, asText, data, records = [] } = copy(call)
  const id = typeof number === 'number' ? ids.get(number) : null
  const target = asText && id !== null ? String(id) : id

  try {
    switch (method) {
      case 'find':
        return { result: await service.find(params) }
      case 'get':
        return { result: await service.get(target, params) }
      case 'create':
        return { result: await service.create(toCreateData(records, setup), params) }
      case 'update':
        return { result: await service.update(target, { ...data, position: number }, params) }
      case 'patch':
        return { result: await service.patch(target, data, params) }
      case 'remove':
        return { result: await service.remove(target, params) }
    }
  } catch (error) {
    const { code, name, message } = Object(error) as Partial<FeathersError>

    return { status: code ?? 500, error: `${name}: ${message}` }
  }
}

/** The data of a record: with the id, when a creator may choose it. */
export function toRecordData({ number, fields }: RandomRecord, setup: Setup): object {
  const id = setup.ids.length > 0 ? { [setup.id]: toChosenId(setup, number) } : {}

  return { ...id, ...copy(fields), position: number }
}

function toCreateData(records: readonly RandomRecord[], setup: Setup): unknown {
  const data = records.map((record) => toRecordData(record, setup))

  return data.length === 1 ? data[0] : data
}

import { deepStrictEqual, fail, strictEqual } from 'node:assert'
import { inspect } from 'node:util'
import { isPlainObject } from 'alula/plugin'
import { copy } from './copy.ts'
import type { TestedService } from './types.ts'

const CODES = { BadRequest: 400, NotFound: 404, MethodNotAllowed: 405, Conflict: 409 } as const

/** What can be left out of a comparison of records. */
export interface PlainOptions {
  /** Whether a missing field and one that is null differ. */
  readonly missing: boolean
}

/**
 * Copies a result into plain objects, so that it can be compared whatever a driver makes its rows of. A property
 * that is `undefined` is missing.
 */
export function toPlain(value: unknown, options: PlainOptions): unknown {
  if (Array.isArray(value)) return value.map((element) => toPlain(element, options))
  // Not even the strictest reader of JSON can tell -0 from 0.
  if (!isPlainObject(value)) return Object.is(value, -0) ? 0 : value

  return Object.fromEntries(
    Object.entries(value)
      .filter(([, nested]) => nested !== undefined && (options.missing || nested !== null))
      .map(([name, nested]) => [name, toPlain(nested, options)])
  )
}

/** Fails unless two results hold the same, in the same order. */
export function assertSame(actual: unknown, expected: unknown, options: PlainOptions): void {
  deepStrictEqual(toPlain(actual, options), toPlain(expected, options))
}

/**
 * Fails unless a call rejects with a Feathers error of this name and its code, and a message that contains some
 * text.
 */
export async function assertFails(
  call: Promise<unknown>,
  name: keyof typeof CODES,
  text = ''
): Promise<void> {
  const error = await call.then(
    (result) => fail(`Expected ${name}, but the call returned ${inspect(result)}`),
    (reason) => reason
  )
  const message = String(error?.message)

  if (error?.code === 'ERR_ASSERTION') throw error
  if (error?.name !== name || error?.code !== CODES[name]) {
    fail(`Expected ${name} (${CODES[name]}), but got ${error?.name} (${error?.code}): ${message}`)
  }
  if (!message.includes(text)) fail(`Expected a message with "${text}", but got "${message}"`)
}

/** Fails unless a call rejects with an error that is the fault of the client, whichever. */
export async function assertRefused(call: Promise<unknown>): Promise<void> {
  const code = await call.then(
    () => 'no error',
    (error) => error?.code
  )

  if (!(code >= 400 && code < 500)) fail(`Expected an error of 400 to 499, but got ${code}`)
}

/** Fails unless these names are found, in whichever order. */
export async function assertFound(
  service: TestedService,
  query: object,
  names: readonly string[]
): Promise<void> {
  deepStrictEqual(toNames(await service.find({ query: copy(query) })).sort(), [...names].sort())
}

/** Fails unless these names are found, in this order. */
export async function assertOrder(
  service: TestedService,
  query: object,
  names: readonly string[]
): Promise<void> {
  deepStrictEqual(toNames(await service.find({ query: copy(query) })), names)
}

/** Fails unless exactly these names are stored. */
export async function assertStored(service: TestedService, ...names: string[]): Promise<void> {
  deepStrictEqual(toNames(await service.find({ paginate: false })).sort(), names.sort())
}

/** The names of records. */
export function toNames(records: unknown): string[] {
  if (!Array.isArray(records)) fail(`Expected an array of records, but got ${inspect(records)}`)

  return records.map(({ name }) => name)
}

/** Fails unless two values are the same. */
export const assertIs: (actual: unknown, expected: unknown, message?: string) => void = strictEqual

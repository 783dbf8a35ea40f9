import { isStandardMethod } from '../core/methods.ts'
import { BadRequest, UnsupportedMediaType } from '../errors.ts'

/** How many bytes of a body are read unless a door is told otherwise. The same as Express. */
export const BODY_LIMIT = 100 * 1024

/** How deep the objects and arrays of a body may nest. */
export const BODY_DEPTH = 100

/**
 * Checks an option that says how many bytes of a body are read.
 *
 * @throws TypeError unless it is a number of bytes
 */
export function assertBodyLimit(bodyLimit: unknown): void {
  if (!Number.isFinite(bodyLimit) || (bodyLimit as number) < 0) {
    throw new TypeError(`Invalid option 'bodyLimit': expected a number of bytes, got ${String(bodyLimit)}`)
  }
}

/**
 * Checks that a body is declared as something that `parseJson` reads.
 *
 * @param contentType The `Content-Type` header
 * @param contentEncoding The `Content-Encoding` header
 * @throws UnsupportedMediaType for anything but JSON in UTF-8
 */
export function assertJson(contentType: string | undefined, contentEncoding?: string | undefined): void {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';')
  const charset = parameters.map((parameter) => parameter.trim()).find((name) => name.startsWith('charset='))

  if (type.trim() !== 'application/json') {
    throw new UnsupportedMediaType("Unsupported content type: expected 'application/json'")
  }
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) {
    throw new UnsupportedMediaType("Unsupported charset: expected 'utf-8'")
  }
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity') {
    throw new UnsupportedMediaType("Unsupported content encoding: expected 'identity'")
  }
}

/**
 * Parses a body. An empty one gives `undefined`.
 *
 * @throws BadRequest when it is not JSON; the message does not repeat the body
 */
export function parseJson(text: string): unknown {
  if (text === '') return undefined

  try {
    return JSON.parse(text)
  } catch {
    throw new BadRequest('Invalid request body: expected valid JSON')
  }
}

/**
 * Parses a body that came with headers. An empty one gives `undefined`, whatever they say.
 *
 * @throws UnsupportedMediaType and BadRequest, as `assertJson` and `parseJson` do
 */
export function parseBody(
  text: string,
  contentType: string | undefined,
  contentEncoding: string | undefined
): unknown {
  if (text === '') return undefined

  assertJson(contentType, contentEncoding)

  return parseJson(text)
}

/**
 * Turns a parsed body into the data of a call. No body is an empty object, as in Feathers v5.
 *
 * @param body The parsed body
 * @param method The service method that it is for
 * @throws BadRequest unless it is an object, or an array of objects, that is not nested too deep
 */
export function toData(body: unknown, method: string): unknown {
  if (body === undefined) return {}

  if (typeof body !== 'object' || body === null) {
    throw new BadRequest(
      `Invalid request body: expected a JSON object or array, got ${body === null ? 'null' : typeof body}`
    )
  }
  if (Array.isArray(body) && isStandardMethod(method) && !body.every(isObject)) {
    throw new BadRequest('Invalid request body: expected every element of the array to be an object')
  }
  if (isDeeperThan(BODY_DEPTH, body)) {
    throw new BadRequest(
      `Invalid request body: expected objects and arrays to nest at most ${BODY_DEPTH} deep`
    )
  }

  return body
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Level by level and not by recursion: the bodies to be refused are those that would overflow the stack. */
function isDeeperThan(limit: number, value: object): boolean {
  let level: object[] = [value]

  for (let depth = 1; level.length > 0; depth++) {
    if (depth > limit) return true

    const next: object[] = []

    for (const parent of level) {
      for (const child of Object.values(parent)) {
        if (typeof child === 'object' && child !== null) next.push(child)
      }
    }

    level = next
  }

  return false
}

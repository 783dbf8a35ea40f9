import { isStandardMethod } from '../core/methods.ts'
import { BadRequest, UnsupportedMediaType } from '../errors.ts'
import { isObject } from '../utils/check.ts'
import type { OptionCheck } from '../utils/options.ts'
import { parseQueryString } from './querystring.ts'

/** How many bytes of a body are read by default. The same as Express. */
export const BODY_LIMIT = 100 * 1024

/** How deep the objects and arrays of a body may nest. */
const BODY_DEPTH = 100

/** An option that says how many bytes of a body are read. */
export const BODY_LIMIT_CHECK: OptionCheck = [
  (limit) => Number.isFinite(limit) && (limit as number) >= 0,
  'a number of bytes'
]

/**
 * JSON, or a type that is JSON too (RFC 6839 §3.1). Never one that a page of another origin may send without a preflight (Fetch
 * §2.2.2).
 */
const JSON_TYPE = /^application\/(?:[\w!#$&^.-]+\+)?json$/

/**
 * Checks that the `Content-Type` of a body is one that `parseJson` reads. Throws UnsupportedMediaType for anything but
 * `application/json` and `application/*+json`, in UTF-8.
 */
export function assertJson(contentType: string | undefined): void {
  const [type = ''] = (contentType ?? '').toLowerCase().split(';')

  if (!JSON_TYPE.test(type.trim())) {
    throw new UnsupportedMediaType("Unsupported content type: expected 'application/json'")
  }

  assertUtf8(contentType)
}

/**
 * Checks that a body is declared as text in UTF-8. What is compressed is judged where bytes are read. Throws
 * UnsupportedMediaType for any other.
 */
export function assertUtf8(contentType = ''): void {
  const [, ...parameters] = contentType.toLowerCase().split(';')
  const charset = parameters.map((parameter) => parameter.trim()).find((name) => name.startsWith('charset='))

  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) {
    throw new UnsupportedMediaType("Unsupported charset: expected 'utf-8'")
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

/** What a service accepts as data besides JSON. */
export interface AcceptedBodies {
  /** Whether HTML forms are accepted. */
  readonly forms?: boolean | undefined
}

/** Whether a body is an HTML form, and forms are accepted. */
export function isAcceptedForm(contentType: string | undefined, { forms = false }: AcceptedBodies): boolean {
  return forms && /^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType ?? '')
}

/** Parses a body, and throws, as `assertJson` and `parseJson` do. An empty one gives `undefined`, whatever its headers say. */
export function parseBody(text: string, contentType: string | undefined, accepted: AcceptedBodies): unknown {
  if (text === '') return undefined
  if (isAcceptedForm(contentType, accepted)) {
    assertUtf8(contentType)

    return parseQueryString(text)
  }

  assertJson(contentType)

  return parseJson(text)
}

/**
 * Turns a parsed body into the data of a call. No body is an empty object, as in Feathers v5. `name` is what messages of errors
 * call it. Throws BadRequest unless it is an object, or an array of objects, that is not nested too deep and has no gaps.
 */
export function toCallData(body: unknown, method: string, name = 'request body'): unknown {
  if (body === undefined) return {}

  if (typeof body !== 'object' || body === null) {
    throw new BadRequest(
      `Invalid ${name}: expected a JSON object or array, got ${body === null ? 'null' : typeof body}`
    )
  }

  assertContents(body, name)

  if (Array.isArray(body) && isStandardMethod(method) && !body.every(isObject)) {
    throw new BadRequest(`Invalid ${name}: expected every element of the array to be an object`)
  }

  return body
}

/** Level by level and not by recursion: a body that is to be refused could overflow the stack. */
function assertContents(body: object, name: string): void {
  const bytes = new Set<object>()
  let level: object[] = [body]

  for (let depth = 1; level.length > 0; depth++) {
    if (depth > BODY_DEPTH) {
      throw new BadRequest(`Invalid ${name}: expected objects and arrays to nest at most ${BODY_DEPTH} deep`)
    }

    const next: object[] = []

    for (const parent of level) {
      // `Object.assign` of such an object would replace the prototype of its target.
      if (Object.hasOwn(parent, '__proto__')) {
        throw new BadRequest(`Invalid ${name}: '__proto__' is not allowed as a name`)
      }
      // Socket.IO replaces this with the bytes of a packet: they would be those of another value, or missing, and
      // clients that get such a packet close their connection.
      if ((parent as { _placeholder?: unknown })._placeholder === true) {
        throw new BadRequest(`Invalid ${name}: '_placeholder' is not allowed as a name`)
      }

      const children = Object.values(parent)

      // Parsers of forms make an array of four billion elements for the name `title[4294967294]`.
      if (Array.isArray(parent) && children.length < parent.length) {
        throw new BadRequest(`Invalid ${name}: expected arrays without gaps`)
      }

      for (const child of children) {
        if (typeof child !== 'object' || child === null) continue

        // Bytes have no depth, and each would count as a child.
        if (!ArrayBuffer.isView(child)) next.push(child)
        // A short packet of Socket.IO can name the same bytes a thousand times, and each would be copied.
        else if (bytes.has(child)) throw new BadRequest(`Invalid ${name}: expected the same bytes only once`)
        else bytes.add(child)
      }
    }

    level = next
  }
}

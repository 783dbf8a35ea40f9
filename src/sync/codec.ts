// JSON, and the values that it loses on the way: dates, big integers and bytes.
import { types } from 'node:util'
import { toPreciseDate, toTimeKey } from '../query/precise-date.ts'

/** The name by which a value that JSON does not have is known. */
const TAG = '$alula'

/**
 * Writes a value as text. What it holds arrives as clients get it, and so does what `toJSON` says; dates, big integers and
 * bytes arrive as themselves, bytes as a `Buffer`. Throws TypeError for a value that contains itself.
 */
export function encode(value: unknown): string {
  return JSON.stringify(value, tagValue)
}

/**
 * Reads what {@link encode} has written. Throws SyntaxError for what is no JSON, TypeError for a kind of value that is not
 * known.
 */
export function decode(text: string): unknown {
  return reviveMembers({ value: JSON.parse(text) }).value
}

/** What stands in JSON for a value that JSON does not have. */
class Tagged {
  readonly [TAG]: string
  readonly value: unknown

  constructor(kind: string, value: unknown) {
    this[TAG] = kind
    this.value = value
  }
}

function tagValue(this: { [name: string]: unknown }, name: string, shown: unknown): unknown {
  const given = this[name]

  // Most values are strings, numbers and the like.
  if (typeof given !== 'object' && typeof shown !== 'object' && typeof shown !== 'bigint') return shown

  // Dates and buffers have a `toJSON`, and it ran already.
  const value = types.isDate(given) || isBytes(given) ? given : shown

  if (typeof value === 'bigint') return new Tagged('bigint', String(value))
  if (types.isDate(value)) return Number.isNaN(value.getTime()) ? null : new Tagged('date', toTimeKey(value))
  if (isBytes(value)) return new Tagged('bytes', toBuffer(value).toString('base64'))
  // The data has a property with the name of our tag.
  if (hasTag(value) && !(value instanceof Tagged) && !(this instanceof Tagged)) {
    return new Tagged('object', value)
  }

  return value
}

function revive(value: object): unknown {
  if (!hasTag(value)) return reviveMembers(value as { [name: string]: unknown })

  const { [TAG]: kind, value: tagged } = value as any

  switch (kind) {
    case 'bigint':
      return BigInt(tagged)
    case 'date':
      return toPreciseDate(new Date(tagged), String(tagged))
    case 'bytes':
      return Buffer.from(tagged, 'base64')
    case 'object':
      return reviveMembers(tagged)
    default:
      throw new TypeError(`Unknown kind of value '${kind}'`)
  }
}

/** Changes the object in place: it was just parsed, so only this code has it. `__proto__` is an ordinary property. */
function reviveMembers(target: { [name: string]: unknown }): { [name: string]: unknown } {
  for (const name of Object.keys(target)) {
    const member = target[name]

    if (typeof member === 'object' && member !== null) target[name] = revive(member)
  }

  return target
}

function hasTag(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, TAG)
}

function isBytes(value: unknown): value is ArrayBuffer | ArrayBufferView {
  return ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value)
}

function toBuffer(bytes: ArrayBuffer | ArrayBufferView): Buffer {
  return ArrayBuffer.isView(bytes)
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : Buffer.from(bytes)
}

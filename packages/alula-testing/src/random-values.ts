// Values that a schema of a document allows, and some that it does not.
import { getTypes, isJsonSchema, setOwn, toAlternatives } from 'alula/plugin'
import type { JsonSchema } from 'alula/schema'

/** Numbers from 0 up to 1, always the same for a seed. */
export type Random = () => number

/** Makes a source of numbers that is repeated with its seed, an integer. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0

  // Mulberry32.
  return () => {
    state = (state + 0x6d2b79f5) >>> 0

    let mixed = Math.imul(state ^ (state >>> 15), state | 1)

    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)

    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** One of some values. */
export function pick<T>(random: Random, values: readonly T[]): T {
  return values[Math.floor(random() * values.length)] as T
}

/** Strings of which some are known to cause trouble. */
const STRINGS = [
  'a',
  'Ab 1',
  '7',
  'true',
  'null',
  'ä́',
  '\u{1F426}',
  "'; --",
  '%_\\',
  '$gt',
  '__proto__',
  ' x '
]

/** For patterns: one of them often matches. */
const FITTING = ['a', 'abc', 'ABC', 'a1', '1', '12345', 'a-b', 'a_b', '+4930123456', '#ffffff', '1.0.0']

const FORMATS: { readonly [format: string]: readonly string[] } = {
  'date-time': ['2026-11-22T10:00:00.000Z', '1969-07-20T20:17:40Z', '2000-02-29T00:00:00.5Z'],
  date: ['2026-11-22', '1969-07-20', '2000-02-29'],
  time: ['10:00:00Z'],
  email: ['ada@example.com', 'grace.hopper@example.org'],
  uuid: ['9b2f3f5e-7a5b-4d6e-8c11-3f2a90b1c2d3'],
  uri: ['https://example.com/a?b=1'],
  ipv4: ['192.0.2.1'],
  ipv6: ['2001:db8::1'],
  hostname: ['example.com']
}

/** Deeper, only what has to be there is made. */
const MAX_DEPTH = 4

/** Makes a value that a schema in the document `root` allows, as far as it is simple: a caller validates it. */
export function toRandomValue(schema: unknown, root: JsonSchema, random: Random, depth = 0): unknown {
  if (!isJsonSchema(schema)) return pick(random, STRINGS)

  const part = pick(random, toAlternatives(schema, root))

  if (part.const !== undefined) return part.const
  if (Array.isArray(part.enum)) return pick(random, part.enum)

  switch (toType(part, random)) {
    case 'null':
      return null
    case 'boolean':
      return random() < 0.5
    case 'integer':
      return Math.round(toNumber(part, random))
    case 'number':
      return toNumber(part, random)
    case 'array':
      return toArray(part, root, random, depth)
    case 'object':
      return toObject(part, root, random, depth)
    default:
      return toRandomText(part, random)
  }
}

function toType(part: JsonSchema, random: Random): string {
  const types = getTypes(part)

  if (types.length > 0) return pick(random, types)
  if (part.properties) return 'object'

  return part.items ? 'array' : pick(random, ['string', 'integer', 'boolean', 'object'])
}

function toNumber(
  { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: JsonSchema,
  random: Random
) {
  const step = (multipleOf as number | undefined) ?? 1
  const low = (minimum ??
    (exclusiveMinimum === undefined ? -Infinity : (exclusiveMinimum as number) + step)) as number
  const high = (maximum ??
    (exclusiveMaximum === undefined ? Infinity : (exclusiveMaximum as number) - step)) as number

  // Between them is no whole step: what is in the middle fits.
  if (low > high) {
    return (((minimum ?? exclusiveMinimum) as number) + ((maximum ?? exclusiveMaximum) as number)) / 2
  }

  const from = Math.max(low, Math.min(-50, high - 100))
  const value = from + Math.floor(random() * (Math.min(high, from + 100) - from + 1))

  return multipleOf === undefined ? value : Math.ceil(value / step) * step
}

function toRandomText({ format, pattern, minLength = 0, maxLength }: JsonSchema, random: Random): string {
  const known = typeof format === 'string' && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined

  if (known) return pick(random, known)
  if (pattern !== undefined) return pick(random, FITTING)

  // A length counts code points.
  const letters = [...pick(random, STRINGS)]

  while (letters.length < (minLength as number)) letters.push('x')

  return letters.slice(0, maxLength as number | undefined).join('')
}

function toArray(part: JsonSchema, root: JsonSchema, random: Random, depth: number): unknown[] {
  const { items = {}, prefixItems, minItems = 0, maxItems = Infinity } = part
  const first: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : []
  const least = Math.max(minItems as number, Math.min(first.length, maxItems as number))
  const most = first.length > 0 || depth >= MAX_DEPTH ? least : Math.min(maxItems as number, least + 2)
  const length = least + Math.floor(random() * (most - least + 1))

  return Array.from({ length }, (_, index) =>
    toRandomValue(index < first.length ? first[index] : items, root, random, depth + 1)
  )
}

function toObject(part: JsonSchema, root: JsonSchema, random: Random, depth: number): object {
  const {
    properties = {},
    required = [],
    additionalProperties
  } = part as {
    properties?: { [name: string]: unknown }
    required?: readonly string[]
    additionalProperties?: unknown
  }
  const value = {}

  // A record by names that are known declares what they hold once.
  for (const name of new Set([...Object.keys(properties), ...required])) {
    if (required.includes(name) || (depth < MAX_DEPTH && random() < 0.5)) {
      const field = Object.hasOwn(properties, name) ? properties[name] : additionalProperties

      setOwn(value, name, toRandomValue(field, root, random, depth + 1))
    }
  }

  return value
}

/** Values that are wrong in most places. */
const WRONG: readonly unknown[] = [
  ...[null, true, 7, -0.5, 1e300, '', 'x', '\0', '9'.repeat(400), [], {}],
  ...[[null], [[]], { $gt: 1 }, { $where: '1' }, { constructor: 1 }, { length: -1 }]
]

/** Damages a copy of a value somewhere. Whether it is wrong then, a caller has to find out. */
export function toDamaged(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random() < 0.1) return pick(random, WRONG)

  const names = Object.keys(value)
  const name = pick(random, [...names, 'undeclared'])
  const copy: { [name: string]: unknown } = { ...value }

  if (Array.isArray(value)) return Object.assign([...value], { 0: toDamaged(copy[name], random) })
  if (names.includes(name) && random() < 0.3) delete copy[name]
  else setOwn(copy, name, toDamaged(copy[name], random))

  return copy
}

import { getDefinition, isStandardMethod } from '../core/methods.ts'
import { getRoutes } from '../core/service.ts'
import type { SentData } from '../core/types.ts'
import { CURSOR_FIELDS, describeValue } from '../query/operators.ts'
import { isObject } from '../utils/check.ts'
import { createError } from '../utils/developer-error.ts'
import { isEmpty } from '../utils/object.ts'
import type { SchemaSettings } from './declaration.ts'
import { COUNTS, type Envelope } from './envelope.ts'
import { type Fault, toBadRequest } from './faults.ts'
import type { JsonSchema } from './json-schema.ts'
import { isNoPage, isPage, type PageTest, toPageTest } from './page.ts'
import { toResultKind } from './result-kind.ts'

/**
 * Checks the placeholders of routes: a call by name has them in its data, beside the field of the envelope. Throws an Error for
 * a placeholder with the name of that field.
 */
export function assertPlaceholders({ envelope }: SchemaSettings, service: object, path: string): void {
  if (!envelope?.request) return

  for (const { name, placeholders } of getRoutes(service)) {
    const twice = placeholders.find((one) => one === envelope.one || one === envelope.many)

    if (twice === undefined) continue

    throw createError(
      'ALULA_INVALID_SCHEMA',
      `The envelope of service '${path}' has the name '${twice}' of a placeholder in the route '${name}': rename the placeholder`
    )
  }
}

/**
 * Prepares what takes the data of requests out of its envelope: it returns the data of a call and where it was, or a refusal.
 * `undefined` where requests are bare.
 */
export function createReceive({
  envelope,
  methods = {},
  unknown
}: SchemaSettings): ((sent: SentData) => Partial<SentData> | undefined) | undefined {
  if (!envelope?.request) return undefined

  return ({ method, data, refusal }) => {
    const isStandard = isStandardMethod(method)

    if (data === undefined || !getDefinition(method).args.includes('data')) return undefined
    // What a method takes without a schema may be nothing, for which requests have an empty object.
    if (isObject(data) && isEmpty(data) && !isStandard && !methods[method]?.data) return undefined

    const opened = openEnvelope(data, envelope, isStandard, unknown === 'drop')

    return 'faults' in opened ? { refusal: refusal ?? toBadRequest('data', opened.faults) } : opened
  }
}

type Opened = { readonly data: unknown; readonly within: string } | { readonly faults: readonly Fault[] }

function openEnvelope(
  sent: unknown,
  { one = '', many }: Envelope,
  isStandard: boolean,
  dropsUnknown: boolean
): Opened {
  const given = isObject(sent) ? sent : {}
  const [name, other] = [one, many].filter(
    (field): field is string => field !== undefined && Object.hasOwn(given, field)
  )

  if (name === undefined) {
    const expected = Array.isArray(sent) ? (many ?? one) : one
    const example = expected === many ? `{ "${expected}": [{ … }] }` : `{ "${expected}": { … } }`

    return { faults: [{ path: expected, message: `expects the data of the request, as in ${example}` }] }
  }
  if (other !== undefined) {
    return { faults: [{ path: other, message: `is not expected beside '${name}'` }] }
  }

  const fault = findFault(given[name], name, many, isStandard)
  const unknown = dropsUnknown ? [] : Object.keys(given).filter((field) => field !== name)
  const faults = [
    ...(fault === undefined ? [] : [{ path: name, message: fault }]),
    ...unknown.map((path) => ({ path, message: 'is not a known field' }))
  ]

  return faults.length > 0 ? { faults } : { data: given[name], within: name }
}

/** Bare data is an object or an array of objects before any hook runs, and this data too. */
function findFault(
  value: unknown,
  name: string,
  many: string | undefined,
  isStandard: boolean
): string | undefined {
  if (!Array.isArray(value)) {
    if (isObject(value) && name !== many) return undefined

    return `expects ${name === many ? 'an array' : 'an object'}, got ${describeValue(value)}`
  }
  if (many !== undefined && name !== many) return `expects an object: an array is expected as '${many}'`

  return isStandard && !value.every(isObject)
    ? 'expects every element of the array to be an object'
    : undefined
}

/** Decides what an envelope takes for a page: what the schema of a custom method says of its results, if it has one. */
export function toEnvelopePageTest(method: string, result: JsonSchema | undefined): PageTest {
  const kind = result && toResultKind(result)

  if (!kind || kind === 'unknown') return toPageTest(method)

  return kind === 'page' ? isPage : isNoPage
}

/** Puts what a client gets into its envelope: nothing stays nothing. */
export function wrapResult(value: unknown, envelope: Envelope, isPage: PageTest): unknown {
  const { one, many } = envelope

  if (value === undefined || value === null) return value
  if (Array.isArray(value)) return many === undefined ? value : { [many]: value }
  if (!isPage(value)) return one === undefined ? value : { [one]: value }
  if (many === undefined) return value

  const fields: Record<string, unknown> = { [many]: value.data }

  for (const name of COUNTS) {
    const field = envelope[name]

    if (field !== undefined && value[name] !== undefined) fields[field] = value[name]
  }
  for (const name of CURSOR_FIELDS) if (value[name] !== undefined) fields[name] = value[name]

  return fields
}

// The fields of requests and responses that records are in: `{ "article": { … } }`.
import { isBoolean, isFunction, isObject, isString } from '../utils/check.ts'
import { createTypeError } from '../utils/developer-error.ts'
import { assertOptions, type OptionCheck, type OptionChecks } from '../utils/options.ts'
import { isStandardSchema } from './standard.ts'

/** The names of the fields that requests and responses of clients have. What has no name is bare. */
export interface Envelope {
  /** The field that one record is in, and every other value that is no list. */
  readonly one?: string
  /** The field that several are in. */
  readonly many?: string
  /** The field that says how many records match, beside a page. Left out where it has no name, as the next two are. */
  readonly total?: string
  /** The field that says how many records a page has at most. */
  readonly limit?: string
  /** The field that says how many records come before a page. */
  readonly skip?: string
  /** Whether requests have their data in it too. */
  readonly request?: boolean
}

/** The fields of a page that count, of which an envelope may have the names. */
export const COUNTS = ['total', 'limit', 'skip'] as const

const NAMES = ['one', 'many', ...COUNTS] as const

/** No body of a request may have `__proto__`. */
const NAME: OptionCheck = [
  (name) => isString(name) && name !== '__proto__',
  "a string that is not empty, and not '__proto__'"
]

const CHECKS: OptionChecks = {
  ...Object.fromEntries(NAMES.map((name) => [name, NAME])),
  request: [isBoolean, 'true or false']
}

const VIEW_CHECKS: OptionChecks = {
  schema: [(value) => isStandardSchema(value) || isObject(value), 'a schema', 'required'],
  make: [isFunction, 'a function', 'required']
}

const STATUS: OptionCheck = [
  (value) => Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 299,
  'a number from 200 to 299'
]

/** What makes values and responses: a declaration that only describes makes none. */
const MAKERS = ['envelope', 'timestamps', 'include', 'view'] as const

/**
 * Checks that a declaration that only describes has nothing that it would have to make. Throws TypeError for a setting that
 * would do nothing.
 */
export function assertEnforced(
  settings: { readonly enforce?: boolean } & { readonly [Name in (typeof MAKERS)[number]]?: unknown }
): void {
  const ignored = settings.enforce === false ? MAKERS.find((name) => settings[name]) : undefined

  if (ignored === undefined) return

  throw createTypeError(
    'ALULA_INVALID_SCHEMA',
    `'${ignored}' of schema() does nothing with 'enforce: false', which leaves calls as they are: leave out one of them`
  )
}

/**
 * Checks what the settings say of responses. Throws TypeError for names that are misspelt, equal or missing, for an envelope
 * beside a view, and for statuses of no success.
 */
export function assertResponses({
  envelope,
  view,
  status = {}
}: {
  readonly envelope?: Envelope
  readonly view?: unknown
  readonly status?: { readonly [method: string]: number }
}): void {
  assertOptions(
    'status of schema()',
    status,
    Object.fromEntries(Object.keys(status).map((name) => [name, STATUS]))
  )
  if (view && !isFunction(view)) assertOptions('view of schema()', view, VIEW_CHECKS)
  if (!envelope) return

  assertOptions('envelope of schema()', envelope, CHECKS)

  const { one, many, request } = envelope
  const names = NAMES.flatMap((name) => envelope[name] ?? [])
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  const fail = (reason: string): never => {
    throw createTypeError('ALULA_INVALID_SCHEMA', `'envelope' of schema() ${reason}`)
  }

  if (view) fail("and 'view' both make responses: declare one of them")
  if (twice !== undefined)
    fail(`has the name '${twice}' twice: the fields of a response need different names`)
  if (one === undefined && many === undefined) fail("needs a name as 'one' or as 'many'")
  if (many === undefined && names.length > 1) fail("needs a name as 'many': pages have their records in it")
  if (one === undefined && request) fail("needs a name as 'one': requests have their data in it")
}

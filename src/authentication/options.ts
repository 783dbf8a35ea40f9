import { assertBudget } from '../login-budget/options.ts'
import { toRefreshSettings } from '../sessions/options.ts'
import { isFunction, isObject, isOneOrMore, isString, isStringList } from '../utils/check.ts'
import { createError } from '../utils/developer-error.ts'
import {
  assertOptions as assertAll,
  assertOption,
  type OptionCheck,
  type OptionChecks
} from '../utils/options.ts'
import { toSecrets } from './secret-keys.ts'
import type { AuthenticationConfiguration, JwtOptions } from './types.ts'

/** How long a token is valid when `expiresIn` does not say. */
export const DEFAULT_LIFETIME = '1d'

/** What holds for options that are left out. As in Feathers v5, so that tokens can be exchanged with it. */
const defaultOptions: AuthenticationConfiguration = {
  authStrategies: [],
  jwtOptions: {
    header: { typ: 'access' },
    audience: 'https://yourdomain.com',
    issuer: 'feathers',
    algorithm: 'HS256',
    expiresIn: DEFAULT_LIFETIME
  }
}

/** A setting with the defaults for what it leaves out, or leaves `undefined`. */
export function withDefaults(setting: { readonly [option: string]: any }): AuthenticationConfiguration {
  const given = Object.entries(setting).filter(([, value]) => value !== undefined)

  return { ...defaultOptions, ...Object.fromEntries(given) }
}

/** The algorithms of JSON Web Signature (RFC 7518 §3.1) by the kind of key. `none` is not one of them. */
const ALGORITHMS: { readonly [keys: string]: readonly string[] } = {
  'a shared secret': ['HS256', 'HS384', 'HS512'],
  'an RSA key': ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  'an elliptic key': ['ES256', 'ES384', 'ES512']
}

/** What params and results of the authentication service hold under names of their own. */
const RESERVED: readonly string[] = [
  ...['accessToken', 'authentication', 'authenticated', 'authStrategies', 'jwt', 'jwtOptions', 'payload'],
  ...['adapter', 'connection', 'headers', 'paginate', 'provider', 'query', 'route', 'secret'],
  ...['__proto__', 'constructor']
]

const STRATEGIES: OptionCheck = [isStringList, 'an array of strategy names']

const CHECKS: OptionChecks = {
  secret: [
    isOneOrMore,
    'a string that is not empty, or several in an array, of which the first one signs',
    'secret'
  ],
  service: [isString, 'the path of a service'],
  entity: [
    (entity) => entity === null || (isString(entity) && !RESERVED.includes(entity)),
    'null, or a name that params and results do not have'
  ],
  entityId: [isString, 'a name'],
  authStrategies: STRATEGIES,
  parseStrategies: STRATEGIES,
  jwtOptions: [isObject, 'an object'],
  refresh: [isObject, 'an object'],
  isActive: [isFunction, 'a function'],
  codes: [isString, 'the path of a service'],
  revocation: [isRevocation, "false, or an object with 'revoke' and 'isRevoked'"]
}

/** As a string, it would be appended to the time when a token expires, and not added. */
const SECONDS: OptionCheck = [Number.isFinite, 'a number of seconds']

/** A string without a unit, as the environment has it, would be taken for milliseconds. */
export const DURATION: OptionCheck = [
  (time) => typeof time !== 'string' || !/^\s*-?[\d.]+\s*$/.test(time),
  "a number of seconds, or a duration with a unit like '1d'"
]

/** As an unset environment variable has it, it would let tokens of others, or old ones, pass. */
const GIVEN: OptionCheck = [(value) => value !== undefined, 'a value', 'protection']

/** What `jsonwebtoken` does not check, or in a way that lets tokens pass. */
const JWT_CHECKS: OptionChecks = {
  clockTolerance: SECONDS,
  clockTimestamp: SECONDS,
  expiresIn: DURATION,
  notBefore: DURATION,
  audience: GIVEN,
  issuer: GIVEN,
  maxAge: [(time) => time !== undefined && DURATION[0](time), DURATION[1], 'protection']
}

/** A key for HMAC is at least as long as its digest (RFC 7518 §3.2). In bytes, for the shortest digest. */
const SHORTEST_SECRET = 32

export const MISSING_SECRET = "A 'secret' must be provided in your authentication configuration"

/**
 * Checks the shape of what a configuration holds. What it must hold is checked by {@link assertComplete}. Strategies have
 * settings under their names. Throws a TypeError with a sentence that names the option.
 */
export function assertOptions(value: unknown, name: string): asserts value is Record<string, unknown> {
  assertAll(name, value, CHECKS, { further: ['budget'], others: 'unlike' })

  const { jwtOptions, refresh, budget } = value as Partial<AuthenticationConfiguration>

  assertBudget(name, budget)

  if (jwtOptions !== undefined) assertJwtOptions(jwtOptions, `${name}.jwtOptions`)
  if (refresh !== undefined) toRefreshSettings(refresh, name)
}

/**
 * Checks that a configuration holds all that a running service needs. `getService` returns the entity service, and throws when
 * there is none. Throws an Error with a sentence that names what is missing.
 */
export function assertComplete(
  { secret, service, entity, entityId }: AuthenticationConfiguration,
  getService: (path: string) => { id?: unknown } | undefined
): void {
  if (!isOneOrMore(secret)) throw createError('ALULA_MISSING_SECRET', MISSING_SECRET)

  if (entity === null) return

  if (service === undefined) {
    throw createError(
      'ALULA_MISSING_OPTION',
      "The 'service' option is not set in the authentication configuration"
    )
  }

  const entityService = getService(service)

  if (entityService === undefined) {
    throw createError(
      'ALULA_UNKNOWN_SERVICE',
      `The '${service}' entity service does not exist (set to 'null' if it is not required)`
    )
  }
  if (entityService.id === undefined && entityId === undefined) {
    throw createError(
      'ALULA_MISSING_OPTION',
      `The '${service}' service does not have an 'id' property and no 'entityId' option is set.`
    )
  }
  if (entity === undefined) {
    throw createError(
      'ALULA_MISSING_OPTION',
      "The 'entity' option is not set in the authentication configuration (set to 'null' if it is not required)"
    )
  }
}

/** Says so when a secret can be guessed. */
export function warnOfShortSecret({ secret = '', jwtOptions }: AuthenticationConfiguration): void {
  const usesSecret = toAlgorithms(jwtOptions).some((algorithm) => algorithm.startsWith('HS'))
  const length = Math.min(...toSecrets(secret).map((each) => Buffer.byteLength(each)))

  if (usesSecret && length < SHORTEST_SECRET) {
    process.emitWarning(
      `The authentication secret has ${length} bytes. Anyone who guesses it can forge tokens: use at least ` +
        `${SHORTEST_SECRET} random bytes, for example from 'openssl rand -base64 48'`,
      { code: 'ALULA_SHORT_SECRET' }
    )
  }
}

/** Warns of strategies that cannot be used, because the name is misspelt or not registered. */
export function warnOfUnknownStrategies(
  { authStrategies, parseStrategies = [] }: AuthenticationConfiguration,
  registered: readonly string[]
): void {
  const unknown = [...authStrategies, ...parseStrategies].filter((name) => !registered.includes(name))

  if (unknown.length > 0) {
    process.emitWarning(
      `The authentication configuration names strategies that are not registered: ${[...new Set(unknown)].join(', ')}`,
      { code: 'ALULA_UNKNOWN_STRATEGY' }
    )
  }
}

/** The algorithms that tokens may be signed with, the one for new tokens first. Never what a token says. */
export function toAlgorithms({ algorithms, algorithm }: JwtOptions = {}): string[] {
  const given = algorithms ?? algorithm ?? 'HS256'

  return Array.isArray(given) ? given : [given]
}

/** Checks the options of tokens. Throws a TypeError with a sentence that names the option. */
export function assertJwtOptions(options: JwtOptions, name: string): void {
  assertAlgorithms(toAlgorithms(options), name)
  assertAll(name, options, JWT_CHECKS, { others: 'any' })
}

/**
 * Checks a list of algorithms. All must go with the same kind of key: otherwise a public key, which everyone knows, could be
 * taken for the secret of an HMAC (RFC 8725 §2.1). Throws TypeError for an unknown algorithm, `none` among them, and for a
 * mixed list.
 */
function assertAlgorithms(algorithms: readonly string[], name: string): void {
  const kinds = algorithms.map((algorithm) =>
    Object.keys(ALGORITHMS).find((keys) => ALGORITHMS[keys]?.includes(algorithm))
  )

  assertOption(name, 'algorithm', algorithms, [
    () => kinds.length > 0 && !kinds.includes(undefined),
    `one or several of ${Object.values(ALGORITHMS).flat().join(', ')}`
  ])
  assertOption(name, 'algorithm', algorithms, [
    () => new Set(kinds).size === 1,
    'algorithms that go with the same kind of key'
  ])
}

function isRevocation(value: any): boolean {
  return value === false || (typeof value?.revoke === 'function' && typeof value.isRevoked === 'function')
}

import { isObject, isString, isStringList } from '../utils/check.ts'
import type { AuthenticationConfiguration, JwtOptions } from './types.ts'

/** What holds for options that are left out. As in Feathers v5, so that tokens can be exchanged with it. */
const defaultOptions: AuthenticationConfiguration = {
  authStrategies: [],
  jwtOptions: {
    header: { typ: 'access' },
    audience: 'https://yourdomain.com',
    issuer: 'feathers',
    algorithm: 'HS256',
    expiresIn: '1d'
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

/** Spelt like this and not otherwise. */
const OPTIONS = [
  ...['secret', 'service', 'entity', 'entityId', 'authStrategies', 'parseStrategies', 'jwtOptions'],
  ...['isActive', 'revocation']
]

/** What params and results of the authentication service hold under names of their own. */
const RESERVED: readonly string[] = [
  ...['accessToken', 'authentication', 'authenticated', 'authStrategies', 'jwt', 'jwtOptions', 'payload'],
  ...['adapter', 'connection', 'headers', 'paginate', 'provider', 'query', 'route', 'secret'],
  ...['__proto__', 'constructor']
]

/** A key for HMAC is at least as long as its digest (RFC 7518 §3.2). In bytes, for the shortest digest. */
const SHORTEST_SECRET = 32

export const MISSING_SECRET = "A 'secret' must be provided in your authentication configuration"

/**
 * Checks the shape of what a configuration holds. What it must hold is checked by {@link assertComplete}.
 *
 * @param value The setting
 * @param name The name of the setting
 * @throws Error with a sentence that names the option
 */
export function assertOptions(value: unknown, name: string): asserts value is Record<string, unknown> {
  if (!isObject(value)) throw new Error(`Invalid setting '${name}': expected an object`)

  const { jwtOptions } = value

  assertSpelling(value, name)

  function assert(option: string, isValid: (value: unknown) => boolean, expected: string): void {
    const given = (value as Record<string, unknown>)[option]

    if (given !== undefined && !isValid(given)) {
      throw new Error(`Invalid option '${name}.${option}': expected ${expected}`)
    }
  }

  assert('secret', isString, 'a string that is not empty')
  assert('service', isString, 'the path of a service')
  assert('entity', (entity) => entity === null || isString(entity), 'a name or null')
  assert(
    'entity',
    (entity) => !RESERVED.includes(entity as string),
    'a name that params and results do not have'
  )
  assert('entityId', isString, 'a name')
  assert('authStrategies', isStringList, 'an array of strategy names')
  assert('parseStrategies', isStringList, 'an array of strategy names')
  assert('jwtOptions', isObject, 'an object')
  assert('isActive', (isActive) => typeof isActive === 'function', 'a function')
  assert('revocation', isRevocation, "false, or an object with 'revoke' and 'isRevoked'")

  if (jwtOptions !== undefined) assertJwtOptions(jwtOptions as JwtOptions, `${name}.jwtOptions`)
}

/**
 * Checks that a configuration holds all that a running service needs.
 *
 * @param configuration The configuration
 * @param getService Returns the entity service; throws when there is none
 * @throws Error with a sentence that names what is missing
 */
export function assertComplete(
  { secret, service, entity, entityId }: AuthenticationConfiguration,
  getService: (path: string) => { id?: unknown } | undefined
): void {
  if (!isString(secret)) throw new Error(MISSING_SECRET)

  if (entity === null) return

  if (service === undefined) {
    throw new Error("The 'service' option is not set in the authentication configuration")
  }

  const entityService = getService(service)

  if (entityService === undefined) {
    throw new Error(`The '${service}' entity service does not exist (set to 'null' if it is not required)`)
  }
  if (entityService.id === undefined && entityId === undefined) {
    throw new Error(
      `The '${service}' service does not have an 'id' property and no 'entityId' option is set.`
    )
  }
  if (entity === undefined) {
    throw new Error(
      "The 'entity' option is not set in the authentication configuration (set to 'null' if it is not required)"
    )
  }
}

/** Says so when a secret can be guessed. */
export function warnOfShortSecret({ secret = '', jwtOptions }: AuthenticationConfiguration): void {
  const usesSecret = toAlgorithms(jwtOptions).some((algorithm) => algorithm.startsWith('HS'))
  const length = Buffer.byteLength(secret)

  if (usesSecret && length < SHORTEST_SECRET) {
    process.emitWarning(
      `The authentication secret has ${length} bytes. Tokens can be forged by who guesses it: use at least ` +
        `${SHORTEST_SECRET} random bytes, for example from 'openssl rand -base64 48'`,
      { code: 'ALULA_SHORT_SECRET' }
    )
  }
}

/** Says so when nobody can use a strategy, because its name is misspelt or it was not registered. */
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

/**
 * Checks the options of tokens that `jsonwebtoken` does not check, or in a way that lets tokens pass.
 *
 * @throws Error with a sentence that names the option
 */
export function assertJwtOptions(options: JwtOptions, name: string): void {
  assertAlgorithms(toAlgorithms(options), name)

  for (const option of ['clockTolerance', 'clockTimestamp']) {
    // As a text it would be put behind the time when a token expires, and not added.
    if (options[option] !== undefined && !Number.isFinite(options[option])) {
      throw new Error(`Invalid option '${name}.${option}': expected a number of seconds`)
    }
  }

  for (const option of ['expiresIn', 'notBefore', 'maxAge']) {
    // A text without a unit, as the environment has it, would be taken for milliseconds.
    if (/^\s*-?[\d.]+\s*$/.test(String(options[option])) && typeof options[option] === 'string') {
      throw new Error(
        `Invalid option '${name}.${option}': expected a number of seconds, or a duration with a unit like '1d'`
      )
    }
  }
}

/**
 * Checks a list of algorithms. All must go with the same kind of key: otherwise a public key, which everyone knows,
 * could be taken for the secret of an HMAC (RFC 8725 §2.1).
 *
 * @throws Error for an unknown algorithm, `none` among them, and for a mixed list
 */
function assertAlgorithms(algorithms: readonly string[], name: string): void {
  const kinds = algorithms.map((algorithm) =>
    Object.keys(ALGORITHMS).find((keys) => ALGORITHMS[keys]?.includes(algorithm))
  )

  if (kinds.length === 0 || kinds.includes(undefined)) {
    const expected = Object.values(ALGORITHMS).flat().join(', ')

    throw new Error(`Invalid option '${name}.algorithm': expected one or several of ${expected}`)
  }
  if (new Set(kinds).size > 1) {
    throw new Error(`Invalid option '${name}.algorithm': ${algorithms.join(' and ')} need different keys`)
  }
}

/** An option in the wrong case would be left out without a word, and with `isactive` everybody would get in. */
function assertSpelling(options: object, name: string): void {
  for (const option of Object.keys(options)) {
    const meant = OPTIONS.find((known) => known !== option && known.toLowerCase() === option.toLowerCase())

    if (meant) throw new Error(`Invalid option '${name}.${option}'. Did you mean '${meant}'?`)
  }
}

function isRevocation(value: any): boolean {
  return value === false || (typeof value?.revoke === 'function' && typeof value.isRevoked === 'function')
}

import { isObject } from './check.ts'
import { createTypeError } from './developer-error.ts'
import { didYouMean } from './did-you-mean.ts'

/**
 * What an option may be: a test of its value, and what the message says is expected. An option is checked when it is
 * given; a `required` one also when it is left out. A `protection` is checked even when it is `undefined`: an environment
 * variable that is not set must not switch it off. The message does not show the value of a `secret` one.
 */
export type OptionCheck = readonly [
  isValid: (value: unknown) => boolean,
  expected: string,
  trait?: 'required' | 'secret' | 'protection'
]

/** The options that there are, by name. */
export interface OptionChecks {
  readonly [name: string]: OptionCheck
}

/** What else there is to know about options. */
export interface CheckSettings {
  /** Names besides those of the checks. */
  readonly further?: readonly string[]
  /**
   * Names that others may add: none when left out. `'unlike'`: any that is not near to a known one, because plugins have
   * options of their own. `'any'`: names mean something else here.
   */
  readonly others?: 'unlike' | 'any'
  /** The option that holds these: messages name `cors.origin` and not `origin`. */
  readonly under?: string
}

/**
 * Checks options: that they are an object, their names, and their values. An option that is `undefined` is left out, unless it
 * is a protection, but must not be misspelt: ignored, a misspelt `paginate` would let clients read everything.
 *
 * @param owner What has the options, for messages: the name of a function, or the path of a setting
 * @param options The options
 * @param checks What each option may be
 * @param settings Further names, and the option that holds these
 * @throws TypeError that names the option and its owner
 * @example
 * assertOptions('limitPipelining', options, { requests: [isCount, 'a positive integer'] })
 */
export function assertOptions<Options>(
  owner: string,
  options: Options,
  checks: OptionChecks,
  { further = [], others, under }: CheckSettings = {}
): asserts options is Options & object {
  // Without the value: it could be a secret in the place of the options that hold it.
  if (!isObject(options)) {
    throw createTypeError(
      'ALULA_INVALID_OPTION',
      `Invalid ${under ? `option '${under}'` : 'options'} of ${owner}: expected an object`
    )
  }

  const path = under ? `${under}.` : ''
  const known = [...Object.keys(checks), ...further]
  const unknown = others === 'any' ? [] : Object.keys(options).filter((name) => !known.includes(name))

  for (const name of unknown) {
    const question = didYouMean(name, known)

    if (question || (!others && options[name] !== undefined)) {
      const hint = question || `: expected one of ${known.join(', ')}`

      throw createTypeError('ALULA_UNKNOWN_OPTION', `Unknown option '${path}${name}' of ${owner}${hint}`)
    }
  }

  for (const [name, check] of Object.entries(checks)) {
    const isChecked =
      options[name] !== undefined ||
      check[2] === 'required' ||
      (check[2] === 'protection' && Object.hasOwn(options, name))

    if (isChecked) {
      assertOption(owner, path + name, options[name], check)
    }
  }
}

/** Checks one value. Throws a TypeError that names the option and its owner. */
export function assertOption(
  owner: string,
  name: string,
  value: unknown,
  [isValid, expected, trait]: OptionCheck
): void {
  if (isValid(value)) return

  const got = trait === 'secret' ? '' : `, got ${describe(value)}`

  throw createTypeError(
    'ALULA_INVALID_OPTION',
    `Invalid option '${name}' of ${owner}: expected ${expected}${got}`
  )
}

/** Objects may hold secrets, and so may URLs. */
function describe(value: unknown): string {
  const isShown = [value].flat().every((element) => typeof element === 'string')

  if (isShown) return JSON.stringify(value).replace(/\/\/[^/"]*@/g, '//…@')
  if (Array.isArray(value)) return 'array'

  return Object(value) === value ? typeof value : String(value)
}

import type { Params } from '../core/types.ts'
import { assertSpelled } from '../utils/nearest.ts'
import type { ParseAuthenticationOptions } from './authentication.ts'
import { assertBodyLimit } from './body.ts'
import { assertLogger, type Logger } from './error.ts'

/** The options of the doors that need no framework. */
export interface DoorOptions<Request> {
  /** The path under which the services are mounted, for example `/api`. Other paths are not found. */
  prefix?: string
  /** How many bytes of a body are read. */
  bodyLimit?: number
  /** Whose strategies look for credentials in requests, instead of those of the default authentication service. */
  authentication?: ParseAuthenticationOptions
  /** Params for the service call that come from the request or from its surroundings, also as a promise. */
  params?: (request: Request) => DoorParams | Promise<DoorParams>
  /** Where unexpected errors are written to, `console` by default; `false` for nowhere. */
  logger?: Logger | false
}

/** The names of all options, of doors on Express too. */
const OPTIONS = [
  'prefix',
  'bodyLimit',
  'authentication',
  'params',
  'logger',
  'etag',
  'formatter',
  'public',
  'html',
  'json'
]

type DoorParams = Partial<Params> & { [key: string]: any }

/**
 * Checks what a door is made of.
 *
 * @param name The name of the function that makes it
 * @throws TypeError for what is no application, and for an option with a value that it cannot have
 */
export function assertDoor(name: string, app: unknown, options: DoorOptions<any>): void {
  const { prefix, bodyLimit, params, logger } = options

  if (typeof (app as { lookup?: unknown } | null | undefined)?.lookup !== 'function') {
    throw new TypeError(`${name} expects an application, as alula() returns it`)
  }

  assertOptionNames(name, options)

  if (prefix !== undefined && typeof prefix !== 'string') {
    throw new TypeError(`Invalid option 'prefix' of ${name}: expected a path`)
  }
  if (params !== undefined && typeof params !== 'function') {
    throw new TypeError(`Invalid option 'params' of ${name}: expected a function that returns params`)
  }

  if (bodyLimit !== undefined) assertBodyLimit(bodyLimit)
  assertLogger(logger)
}

/**
 * Refuses options that are misspelt.
 *
 * @param name The name of the function that takes them
 * @throws Error that asks for the one that was meant
 */
export function assertOptionNames(name: string, options: object): void {
  assertSpelled(options, OPTIONS, (option) => `Unknown option '${option}' of ${name}`)
}

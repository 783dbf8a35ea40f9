import type { Application, Id } from 'alula'
import { exposure } from 'alula/access'
import {
  assertApplication,
  assertOptions,
  createTypeError,
  type ManifestService,
  type OptionCheck,
  readServices
} from 'alula/plugin'
import { ANONYMOUS, assertUsers, type Users } from './callers.ts'
import { isFunction, isObject } from './check.ts'
import { type Coverage, type Log, logCoverage } from './coverage.ts'
import { assertKnown } from './known.ts'
import { Proof } from './proof/proof.ts'
import { findTwins } from './proof/twins.ts'

/** A function makes data or a query for each call, and gets the record that the call is about. It is awaited. */
export type ProofMaker = (record: any) => object | Promise<object>

/** Data or a query; a field with the name of a method may have that of this method. */
export type ProofData = ProofMaker | object | { readonly [name: string]: ProofMaker | object | Scalar }

type Scalar = string | number | boolean | null | undefined

/** Who calls, and what they call for. */
export interface ProofOptions {
  /** Entities of the application, as their service returns them. */
  readonly users?: {
    /** A user without a role, who owns none of `records`. */
    readonly user?: object
    /** The user who owns `records`. */
    readonly owner?: object
    /** A user who has the roles of the table. */
    readonly admin?: object
  }
  /**
   * By the path of a service, the id of a record of `owner` that is read, changed and removed, or the record; or a function
   * that makes one for each call, and returns it. A service without `get` needs the record itself.
   */
  readonly records?: { readonly [path: string]: Id | object | (() => Id | object | Promise<Id | object>) }
  /** By the path of a service, the values of placeholders: of its path and of the routes of its methods. */
  readonly route?: { readonly [path: string]: { readonly [placeholder: string]: Id } }
  /**
   * By the path of a service, the data of its methods, where a method may have its own: `{ notes: { text: 'A', share: { with: 1 } } }`.
   * Of what is for all methods `patch` gets the fields that its schema knows.
   */
  readonly data?: { readonly [path: string]: ProofData }
  /** By the path of a service, the query of its methods, as `data` has it. */
  readonly query?: { readonly [path: string]: ProofData }
  /** By the path of a service and the name of a method, the callers that a rule of the application lets pass: `nobody`, `user`, `owner`, `admin`. */
  readonly callers?: { readonly [path: string]: { readonly [method: string]: readonly string[] } }
  /**
   * Methods that are not called, such as `files.create`: one that takes a form, for example. The coverage lists them, and tests of
   * your own have to show who may call them.
   */
  readonly skip?: readonly string[]
  /** The transports that the application must have, as in `params.provider`; those that it has when left out. */
  readonly transports?: readonly string[]
  /** Takes what is printed; `console.log` when left out, `false` for nothing. */
  readonly log?: Log
}

const BY_PATH = 'by the paths of services'

/** The options that are objects with the paths of services. */
const OF_SERVICES = ['records', 'route', 'data', 'query', 'callers'] as const

const USER_NAMES: readonly string[] = ['user', 'owner', 'admin']

const CALLER_NAMES: readonly string[] = [ANONYMOUS, ...USER_NAMES]

/**
 * Calls every method of an application over every transport, as nobody and as its users, and compares the responses
 * with the table of `exposure`. A caller that the table allows has to succeed once, and what a response holds must be for
 * its caller. The calls are real: records are written and removed. Each call has a login of its own. The service of the
 * users comes last, with its `remove` at the end, and a user who is removed makes no more calls.
 *
 * @param app An application for tests, set up
 * @param options The users, and the records and data to use
 * @returns What was called, by whom, and with which outcome
 * @throws Error with one line for each difference and for all that is not proved, TypeError for options that are not valid,
 * such as a record that is not there
 * @example
 * await proveExposure(app, { users: { user, owner, admin }, records: { notes: note.id } })
 */
export async function proveExposure(app: Application, options: ProofOptions = {}): Promise<Coverage> {
  assertApplication('proveExposure', app)
  assertOptions('proveExposure', options, {
    ...Object.fromEntries(OF_SERVICES.map((name) => [name, [isObject, `an object ${BY_PATH}`] as const])),
    users: [isObject, 'an object with entities as user, owner and admin'],
    skip: [Array.isArray, 'an array of methods with the paths of their services'],
    transports: [Array.isArray, 'an array of names'],
    log: [(log) => isFunction(log) || log === false, 'a function or false']
  })
  if (options.users) {
    assertOptions('proveExposure', options.users, {}, { further: USER_NAMES, under: 'users' })
  }

  const rows = exposure(app)
  const methods = rows.map(({ service, method }) => `${service}.${method}`)
  const services = readServices(app)
  const users: Users = { ...options.users }

  assertServices(app, options)
  assertKnown(options.skip ?? [], methods, toSentence('skip', 'method'))
  assertCallers(services, options)
  assertTransports(
    rows.flatMap(({ transports }) => transports),
    options
  )

  const proof = new Proof(app, services, users, options)

  await proof.targets.assertRecords()
  await assertUsers(app, users)
  await proof.run()

  const coverage = proof.toCoverage()
  const faults = [...findTwins(app, services, options), ...proof.faults]

  logCoverage(options.log ?? console.log, 'proveExposure', coverage)
  if (coverage.rows.length === 0) faults.push('Nothing was proved: the application has no method to call')
  if (faults.length > 0) throw new Error([...new Set(faults)].join('\n'))

  return coverage
}

function assertServices(app: Application, options: ProofOptions): void {
  const paths = Object.keys(app.services)

  for (const name of OF_SERVICES) {
    assertKnown(Object.keys(options[name] ?? {}), paths, toSentence(name, 'service'))
  }
}

function toSentence(option: string, what: 'service' | 'method'): string {
  return `Invalid option '${option}' of proveExposure: the application has no ${what}`
}

function assertCallers(services: readonly ManifestService[], { callers = {} }: ProofOptions): void {
  for (const [path, named] of Object.entries(callers)) {
    const methods = services.find((service) => service.path === path)?.methods.map(({ name }) => name) ?? []
    const check: OptionCheck = [isCallerList, `an array of ${CALLER_NAMES.join(', ')}`]

    assertOptions('proveExposure', named, Object.fromEntries(methods.map((name) => [name, check])), {
      under: `callers.${path}`
    })
  }
}

function isCallerList(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => CALLER_NAMES.includes(name))
}

/** A transport that is not configured would be left out in silence. */
function assertTransports(found: readonly string[], { transports = [] }: ProofOptions): void {
  const missing = transports.find((name) => !found.includes(name))

  if (missing !== undefined) {
    throw createTypeError(
      'ALULA_INVALID_OPTION',
      `Invalid option 'transports' of proveExposure: the application has no '${missing}', it has ${[...new Set(found)].join(', ')}`
    )
  }
}

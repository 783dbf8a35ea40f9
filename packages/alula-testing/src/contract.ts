import type { Application } from 'alula'
import { type OpenApiDocument, toOpenApi } from 'alula/openapi'
import { assertOptions, createError, createTypeError, readServices } from 'alula/plugin'
import type { TestRunner } from './adapters/types.ts'
import { getEntityPath } from './callers.ts'
import { isFunction, isObject } from './check.ts'
import { createOrder } from './contract/order.ts'
import { SeenRecords } from './contract/records.ts'
import { type Contract, runOperation } from './contract/run.ts'
import { type Coverage, CoverageCounter, type Log, logCoverage } from './coverage.ts'
import { listOperations, type Operation } from './document-requests.ts'
import { createValidators } from './document-validators.ts'
import { assertKnown } from './known.ts'

/** How the tests of a document are registered, and how much they try. */
export interface ContractOptions extends Partial<TestRunner> {
  /**
   * Registers what runs after the tests of a group: `after` of Node and mocha, `afterAll` of vitest and jest; the global one
   * when `describe` is left out too. Without it the returned promise resolves once each test has run.
   */
  readonly after?: (end: () => void) => unknown
  /** About how many random requests are made for each operation; 20 when left out. */
  readonly runs?: number
  /** Repeats the requests of a run that printed this seed; a random one when left out. */
  readonly seed?: number
  /** Users who make requests too, besides those without a login, as their service returns them. */
  readonly users?: readonly object[]
  /**
   * By `operationId`, a body that the operation takes, or a function that makes one for each request, which may be async: for
   * those that random data does not reach. An operation without a body has a query.
   */
  readonly data?: { readonly [operationId: string]: unknown }
  /** By the path of a service, records for its placeholders: for services whose responses do not show any. */
  readonly records?: { readonly [path: string]: readonly object[] }
  /** By `operationId`, statuses of errors that the document does not have, such as 401 for a login of the application. */
  readonly statuses?: { readonly [operationId: string]: readonly number[] }
  /** The `operationId` of operations that are left out, for instance because they send mail. */
  readonly skip?: readonly string[]
  /** Takes what is printed; `console.log` when left out, `false` for nothing. */
  readonly log?: Log
}

/** What test runners have as globals. */
interface Globals extends Partial<TestRunner> {
  readonly after?: ContractOptions['after']
  readonly afterAll?: ContractOptions['after']
}

const TIMEOUT = 300_000

/**
 * Registers a test for each operation of the document of an application. It makes requests from the document alone, and
 * fails where a response is not what the document says, where a request that it does not allow is taken, at every status
 * from 500, where a request that reads or is refused has changed a record, and where no request succeeded. The requests are
 * real: they write and remove records.
 *
 * @param app An application for tests, set up
 * @param options `describe`, `it` and `after` where they are not global, who calls, and how often
 * @returns What was requested, by whom, and with which outcome, at the end of the tests; do not await it before they run
 * @throws Error for an application that is not set up; TypeError for options that are not valid
 * @example
 * contractTests(app, { describe, it, after: afterAll, users: [ada] })
 */
export function contractTests(app: Application, options: ContractOptions = {}): Promise<Coverage> {
  assertOptions('contractTests', options, {
    describe: [isFunction, 'a function'],
    it: [isFunction, 'a function'],
    after: [isFunction, 'a function'],
    runs: [(runs) => Number.isSafeInteger(runs) && Number(runs) > 0, 'a number of requests from 1'],
    seed: [Number.isSafeInteger, 'an integer'],
    users: [Array.isArray, 'an array of entities'],
    data: [isObject, 'an object with bodies by operation ids'],
    records: [isRecordTable, 'an object with arrays of records by the paths of services'],
    statuses: [isStatusTable, 'an object with arrays of statuses from 400 to 499 by operation ids'],
    skip: [isIdList, 'an array of operation ids'],
    log: [(log) => isFunction(log) || log === false, 'a function or false']
  })
  if (!app._isSetup)
    throw createError('ALULA_NOT_SET_UP', 'The application is not set up: await app.setup() first')

  const globals = globalThis as Globals
  const {
    describe = globals.describe,
    it = globals.it,
    after = options.describe ? undefined : (globals.afterAll ?? globals.after),
    skip = [],
    statuses = {},
    log = console.log
  } = options

  if (!describe || !it)
    throw createTypeError('ALULA_NO_TEST_RUNNER', "contractTests needs 'describe' and 'it' of a test runner")

  const document = toOpenApi(app)
  const all = listOperations(document)
  const contract = createContract(app, document, all, options)
  const ids = all.map(({ operationId }) => operationId)

  const assertListed = (option: string, names: readonly string[], what: string, known: readonly string[]) =>
    assertKnown(names, known, `Invalid option '${option}' of contractTests: the document has no ${what}`)

  assertListed('data', Object.keys(contract.data), 'operation', ids)
  assertListed('statuses', Object.keys(statuses), 'operation', ids)
  assertListed('skip', skip, 'operation', ids)
  assertListed('records', Object.keys(options.records ?? {}), 'service', [
    ...new Set(all.flatMap(({ tags }) => tags))
  ])

  const operations = all
    .filter(({ operationId }) => !skip.includes(operationId))
    .toSorted(createOrder(readServices(app)))
    .map((operation) => withStatuses(operation, statuses[operation.operationId]))

  return registerTests(contract, operations, { describe, it, after, skip, log })
}

interface Registration extends TestRunner {
  readonly after: ContractOptions['after']
  readonly skip: readonly string[]
  readonly log: Log
}

/** Registers a test for each operation, and resolves at the end of their group, or else once each of them has run. */
function registerTests(
  contract: Contract,
  operations: readonly Operation[],
  { describe, it, after, skip, log }: Registration
): Promise<Coverage> {
  return new Promise((resolve) => {
    // A runner may leave tests out, and run others again.
    const left = new Set(operations.map(({ operationId }) => operationId))

    const finish = () => {
      const coverage = contract.counter.toCoverage([...skip, ...left])

      logCoverage(log, 'contractTests', coverage)
      resolve(coverage)
    }

    const finishOperation = (operationId: string) => {
      if (left.delete(operationId) && left.size === 0 && !after) finish()
    }

    describe('the document', () => {
      for (const operation of operations) {
        const { operationId, verb, path } = operation

        it(
          `${operationId} (${verb} ${path}) is true`,
          () => runOperation(contract, operation).finally(() => finishOperation(operationId)),
          TIMEOUT
        )
      }

      if (operations.length > 0) after?.(finish)
    })

    if (operations.length === 0) finish()
  })
}

function createContract(
  app: Application,
  document: OpenApiDocument,
  operations: readonly Operation[],
  { seed, runs = 20, users = [], data = {}, records = {} }: ContractOptions
): Contract {
  const known = new Map([[getEntityPath(app) ?? '', users], ...Object.entries(records)])

  return {
    app,
    document,
    runs,
    users,
    data,
    seed: seed ?? Math.floor(Math.random() * 2 ** 31),
    validators: createValidators(document),
    seen: new SeenRecords(app, operations, known),
    counter: new CoverageCounter()
  }
}

function isIdList(value: unknown): boolean {
  return Array.isArray(value) && value.every((id) => typeof id === 'string')
}

function isRecordTable(value: unknown): boolean {
  return isObject(value) && Object.values(value).every((list) => Array.isArray(list) && list.every(isObject))
}

function isStatusTable(value: unknown): boolean {
  return (
    isObject(value) &&
    Object.values(value).every(
      (list) => Array.isArray(list) && list.every((status) => status >= 400 && status < 500)
    )
  )
}

/** The statuses that were declared have what the document says of all other errors. */
function withStatuses(operation: Operation, statuses: readonly number[] = []): Operation {
  const { default: other } = operation.responses

  return other && statuses.length > 0
    ? {
        ...operation,
        responses: { ...operation.responses, ...Object.fromEntries(statuses.map((one) => [one, other])) }
      }
    : operation
}

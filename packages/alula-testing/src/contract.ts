import type { Application } from 'alula'
import { type OpenApiDocument, toOpenApi } from 'alula/openapi'
import {
  assertOptions,
  createError,
  createTypeError,
  didYouMean,
  getErrorStatus,
  readLogin,
  readServices
} from 'alula/plugin'
import type { TestRunner } from './adapters/types.ts'
import { isFunction } from './check.ts'
import { createTestClient, loginAs, type TestClient } from './client.ts'
import { type DocumentRequest, listOperations, type Operation, RequestMaker } from './document-requests.ts'
import { createValidators, type Validators } from './document-validators.ts'
import { findEnvelope, listRecords } from './envelopes.ts'
import { findBreach, type Reply } from './judge.ts'
import { createRandom, pick } from './random-values.ts'

/** How the tests of a document are registered, and how much they try. */
export interface ContractOptions extends Partial<TestRunner> {
  /** How many requests are made for each operation; 20 when left out. */
  readonly runs?: number
  /** Repeats the requests of a run that printed this seed; a random one when left out. */
  readonly seed?: number
  /** Users who make requests too, besides those without a login, as their service returns them. */
  readonly users?: readonly object[]
  /** The `operationId` of operations that are left out, for instance because they send mail. */
  readonly skip?: readonly string[]
}

interface Caller {
  readonly isAnonymous: boolean
  readonly client: TestClient
}

/** What all tests of an application share. */
interface Contract {
  readonly app: Application
  readonly document: OpenApiDocument
  readonly operations: readonly Operation[]
  readonly runs: number
  readonly seed: number
  readonly open: () => Promise<{ readonly validators: Validators; readonly callers: readonly Caller[] }>
  /** Records that responses have had, by tag. */
  readonly seen: Map<string, readonly object[]>
}

const TIMEOUT = 300_000

/** How many records of a service are remembered. */
const MAX_SEEN = 20

/** What makes records comes first, and what removes them last. */
const ORDER: readonly string[] = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE']

/**
 * Registers a test for each operation of the document of an application. It makes requests from the document alone, and
 * fails where a response is not what the document says, where a request that it does not allow is taken, at every status
 * from 500, and where a request that reads or is refused has changed a record. The requests are real: they write and
 * remove records.
 *
 * @param app An application for tests, set up
 * @param options `describe` and `it` where they are not global, who calls, and how often
 * @throws Error for an application that is not set up; TypeError for options that are not valid
 * @example
 * contractTests(app, { describe, it, users: [ada] })
 */
export function contractTests(app: Application, options: ContractOptions = {}): void {
  assertOptions('contractTests', options, {
    describe: [isFunction, 'a function'],
    it: [isFunction, 'a function'],
    runs: [(runs) => Number.isSafeInteger(runs) && Number(runs) > 0, 'a number of requests from 1'],
    seed: [Number.isSafeInteger, 'an integer'],
    users: [Array.isArray, 'an array of entities'],
    skip: [isIdList, 'an array of operation ids']
  })
  if (!app._isSetup)
    throw createError('ALULA_NOT_SET_UP', 'The application is not set up: await app.setup() first')

  const globals = globalThis as Partial<TestRunner>
  const { describe = globals.describe, it = globals.it, runs = 20, users = [], skip = [] } = options

  if (!describe || !it)
    throw createTypeError('ALULA_NO_TEST_RUNNER', "contractTests needs 'describe' and 'it' of a test runner")

  const document = toOpenApi(app)
  const operations = listOperations(document)

  assertSkipped(skip, operations)

  const contract: Contract = {
    app,
    document,
    operations,
    runs,
    seed: options.seed ?? Math.floor(Math.random() * 2 ** 31),
    open: once(async () => ({
      validators: await createValidators(document),
      callers: await createCallers(app, users)
    })),
    seen: new Map()
  }

  describe('the document', () => {
    for (const operation of operations.toSorted(compareOrder)) {
      const { operationId, verb, path } = operation

      if (skip.includes(operationId)) continue

      it(`${operationId} (${verb} ${path}) is true`, () => runOperation(contract, operation), TIMEOUT)
    }
  })
}

function isIdList(value: unknown): boolean {
  return Array.isArray(value) && value.every((id) => typeof id === 'string')
}

/** A misspelt name would make the requests that were to be left out. */
function assertSkipped(skip: readonly string[], operations: readonly Operation[]): void {
  const ids = operations.map(({ operationId }) => operationId)
  const unknown = skip.find((id) => !ids.includes(id))

  if (unknown !== undefined) {
    throw createTypeError(
      'ALULA_INVALID_OPTION',
      `Invalid option 'skip' of contractTests: the document has no operation '${unknown}'${didYouMean(unknown, ids)}`
    )
  }
}

function compareOrder(first: Operation, second: Operation): number {
  const rank = ({ verb, path }: Operation) =>
    ORDER.indexOf(verb) + (verb === 'POST' && path.includes('{') ? 3 : 0)

  return rank(first) - rank(second)
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined

  return () => {
    made ??= make()

    return made
  }
}

async function createCallers(app: Application, users: readonly object[]): Promise<readonly Caller[]> {
  const clients = await Promise.all(users.map((user) => loginAs(app, user)))

  return [
    { isAnonymous: true, client: createTestClient(app) },
    ...clients.map((client) => ({ isAnonymous: false, client }))
  ]
}

/** A user who has logged out can no longer call. */
function listCallers(app: Application, { tags }: Operation, callers: readonly Caller[]): readonly Caller[] {
  return tags.includes(readLogin(app)?.path ?? '')
    ? callers.filter(({ isAnonymous }) => isAnonymous)
    : callers
}

async function runOperation(contract: Contract, operation: Operation): Promise<void> {
  const { app, document, runs, seed } = contract
  const { validators, callers } = await contract.open()
  const random = createRandom(seed + hash(operation.operationId))
  const maker = new RequestMaker(operation, document, validators, random)
  const allowed = listCallers(app, operation, callers)
  const ids = () => listIds(contract, operation)
  const statuses: number[] = []
  const refused = getErrorStatus(app, 'BadRequest')
  let firstRefusal: string | undefined

  const send = async (request: DocumentRequest | undefined): Promise<void> => {
    if (!request) return

    const { isAnonymous, client } = pick(random, allowed)
    const reply = await toReply(client, request)
    const breach = findBreach(document, validators, operation, request, isAnonymous, reply)

    if (breach) fail(contract, request, `${breach}\n${shorten(reply)}`)
    if (request.isValid && reply.status !== 401) statuses.push(reply.status)
    if (request.isValid && reply.status === refused)
      firstRefusal ??= `${toRequestText(request)}\n${shorten(reply)}`

    remember(contract, operation, reply)
  }

  if (operation.path.includes('{')) await findRecords(contract, operation, callers)

  await keepingRecords(contract, 'requests that are not valid', async () => {
    for (let run = 0; run < runs / 2; run++) await send(maker.damaged(ids()))
  })

  const sendValid = async () => {
    for (let run = 0; run < runs / 2; run++) await send(maker.valid(ids()))
  }

  await (operation.verb === 'GET' ? keepingRecords(contract, 'requests that read', sendValid) : sendValid())

  if (
    saysWhatIsTaken(contract, operation) &&
    statuses.length >= MIN_REFUSED &&
    statuses.every((status) => status === refused)
  ) {
    throw new Error(
      `All requests that the document allows were refused with ${refused}. The first one:\n${firstRefusal}\n${repeat(contract)}`
    )
  }
}

/** So many refusals are no chance. */
const MIN_REFUSED = 5

/** Hooks of a service without a schema may demand what its document does not know. */
function saysWhatIsTaken({ app }: Contract, { tags, requestBody }: Operation): boolean {
  const { schema = {} } = requestBody?.content['application/json'] ?? {}
  const isDeclared = readServices(app).some(({ path, definition }) => path === tags[0] && definition)

  return isDeclared && (!requestBody || Object.keys(schema).length > 0)
}

/** Runs requests that must not change a record. */
async function keepingRecords(contract: Contract, what: string, run: () => Promise<void>): Promise<void> {
  const before = await readRecords(contract.app)

  await run()

  const after = await readRecords(contract.app)
  const changed = [...before.keys()].find((path) => before.get(path) !== after.get(path))

  if (changed !== undefined) {
    throw new Error(`Records of '${changed}' have changed by ${what}. ${repeat(contract)}`)
  }
}

/** The records of all stores. A service that does not show them without params is not compared. */
async function readRecords(app: Application): Promise<ReadonlyMap<string, string>> {
  const stored = readServices(app).filter(({ isStored }) => isStored)
  const entries = await Promise.all(
    stored.map(async ({ path }) => {
      const records = await app
        .service(path)
        .find({ paginate: false })
        .catch(() => undefined)

      return [path, JSON.stringify(records)] as const
    })
  )

  return new Map(entries)
}

/** Has responses seen that have ids. */
async function findRecords(
  contract: Contract,
  operation: Operation,
  callers: readonly Caller[]
): Promise<void> {
  const { operations } = contract
  const find = operations.find(
    ({ verb, path, tags }) => verb === 'GET' && !path.includes('{') && tags[0] === operation.tags[0]
  )

  if (!find) return

  for (const { client } of callers) {
    remember(
      contract,
      find,
      await toReply(client, { verb: 'GET', url: find.path, body: undefined, isValid: true })
    )
  }
}

function remember({ app, seen }: Contract, { tags }: Operation, { status, text }: Reply): void {
  if (status >= 300 || text === '') return

  const [tag = ''] = tags
  const records = listRecords(JSON.parse(text), findEnvelope(app, tag))

  seen.set(tag, [...(seen.get(tag) ?? []), ...records].slice(-MAX_SEEN))
}

/** The values that the last placeholder of a path may have. */
function listIds({ seen }: Contract, { path, tags: [tag = ''] }: Operation): readonly unknown[] {
  const name = path.match(/.*\{(.+?)\}/)?.[1] ?? ''

  return (seen.get(tag) ?? []).flatMap((record) => {
    const value = (record as { readonly [field: string]: unknown })[name]

    return value === undefined || value === null || value === '' ? [] : [value]
  })
}

async function toReply({ fetch }: TestClient, { verb, url, body }: DocumentRequest): Promise<Reply> {
  const response = await fetch(url, {
    method: verb,
    redirect: 'manual',
    ...(body !== undefined && { body, headers: { 'Content-Type': 'application/json' } })
  })

  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    text: await response.text()
  }
}

function fail(contract: Contract, request: DocumentRequest, breach: string): never {
  throw new Error(`${toRequestText(request)}\n${breach}\n${repeat(contract)}`)
}

/** A request for a message. */
function toRequestText({ verb, url, body }: DocumentRequest): string {
  return `${verb} ${url}${body === undefined ? '' : `\n${body}`}`
}

/** The body of a response for a message. */
function shorten({ text }: Reply): string {
  return text.slice(0, 500)
}

function repeat({ seed }: Contract): string {
  return `Run it again with { seed: ${seed} }`
}

/** Each operation has numbers of its own, so that one that fails can run alone. */
function hash(text: string): number {
  return [...text].reduce((sum, letter) => (Math.imul(sum, 31) + (letter.codePointAt(0) ?? 0)) | 0, 0)
}

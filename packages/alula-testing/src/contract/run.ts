import type { Application } from 'alula'
import type { OpenApiDocument } from 'alula/openapi'
import { readServices } from 'alula/plugin'
import { parseQueryString } from 'alula/transport'
import { ANONYMOUS, type Caller, createCaller } from '../callers.ts'
import { isFunction } from '../check.ts'
import type { TestClient } from '../client.ts'
import { type CoverageCounter, describeOutcomes } from '../coverage.ts'
import { type DocumentRequest, type Operation, RequestMaker } from '../document-requests.ts'
import type { Validators } from '../document-validators.ts'
import { findBreach, type Reply } from '../judge.ts'
import { toJson } from '../objects.ts'
import { createRandom, pick, type Random } from '../random-values.ts'
import { fillPath } from './paths.ts'
import { type Attempt, isOfLogin, listAttempts, listLoginAttempts, toCallerName } from './reach.ts'
import type { SeenRecords } from './records.ts'

/** What all tests of an application share. */
export interface Contract {
  readonly app: Application
  readonly document: OpenApiDocument
  readonly runs: number
  readonly seed: number
  readonly users: readonly object[]
  /** Bodies by `operationId`. */
  readonly data: { readonly [operationId: string]: unknown }
  readonly validators: Validators
  readonly seen: SeenRecords
  readonly counter: CoverageCounter
}

/** At most so many requests are made for one that succeeds. */
const MAX_ATTEMPTS = 300

/** So many records of another service are looked into for those in their path. */
const MAX_OUTER = 5

/**
 * Makes the requests of an operation. Throws an Error for a response that is not what the document says, and where no request
 * succeeded.
 */
export async function runOperation(contract: Contract, operation: Operation): Promise<void> {
  const callers = await createCallers(contract.app, contract.users)

  await new OperationRun(contract, operation, callers).run()
}

/** Logs users in for each operation: one before may have changed a password, which revokes all tokens. */
async function createCallers(app: Application, users: readonly object[]): Promise<readonly Caller[]> {
  const named = Object.fromEntries(users.map((user, index) => [toCallerName(index), user]))
  const names = [ANONYMOUS, ...Object.keys(named)]
  const callers = await Promise.all(names.map((name) => createCaller(app, name, named)))

  return callers.filter((caller) => caller !== undefined)
}

/** The requests of one operation. */
class OperationRun {
  private readonly contract: Contract
  private readonly operation: Operation
  private readonly callers: readonly Caller[]
  private readonly random: Random
  private readonly maker: RequestMaker
  /** The statuses of valid requests. */
  private readonly statuses: { [status: string]: number } = {}
  private hasSucceeded = false
  private refusal: string | undefined

  constructor(contract: Contract, operation: Operation, callers: readonly Caller[]) {
    this.contract = contract
    this.operation = operation
    this.callers = callers
    // Each operation has numbers of its own, so that one that fails can run alone.
    this.random = createRandom(contract.seed + hash(operation.operationId))
    this.maker = new RequestMaker(operation, contract.document, contract.validators, this.random)
  }

  async run(): Promise<void> {
    const { operation, contract } = this

    if (operation.path.includes('{')) await this.findRecords(operation.tags[0] ?? '')

    await this.keepingRecords('requests that are not valid', async () => {
      for (let run = 0; run < contract.runs / 2; run++) await this.sendRandom('damaged')
    })

    await this.keepingRead(async () => {
      for (let run = 0; run < contract.runs / 2; run++) await this.sendRandom('valid')
    })
    await this.reach()

    if (!this.hasSucceeded) throw new Error(this.describeFailure())
  }

  private async sendRandom(kind: 'valid' | 'damaged'): Promise<void> {
    const request = this.maker[kind](this.contract.seen.listValues(this.operation))

    if (request) await this.send({ caller: pick(this.random, this.listCallers()), request })
  }

  /** A user who has logged out can no longer call. */
  private listCallers(): readonly Caller[] {
    return isOfLogin(this.contract.app, this.operation) ? this.callers.filter(isAnonymous) : this.callers
  }

  private async send({ caller, request: made }: Attempt): Promise<void> {
    const request = this.toSent(made)
    const { contract, operation } = this
    const { document, validators, seen, counter } = contract
    const { client, name } = caller
    const reply = await toReply(client, request)
    const breach = findBreach(document, validators, operation, request, isAnonymous(caller), reply)

    counter.add(operation.operationId, 'rest', name, reply.status)
    if (breach) throw new Error(`${toRequestText(request)}\n${breach}\n${shorten(reply)}\n${this.repeat()}`)
    seen.remember(operation, request, reply)
    if (!request.isValid) return

    this.statuses[reply.status] = (this.statuses[reply.status] ?? 0) + 1
    // Later operations need the records of one that creates.
    this.hasSucceeded ||= reply.status < 400 && !seen.hasCreatedNothing(operation, reply)
    if (reply.status >= 400 && (reply.status !== 401 || !this.refusal)) {
      this.refusal = `${toRequestText(request)}\n${shorten(reply)}`
    }
  }

  /** Half of the queries that a path takes by `QUERY` are sent so: the response has to be that of a `GET`. */
  private toSent(request: DocumentRequest): DocumentRequest {
    const [url = '', search] = request.url.split('?')

    if (!this.operation['x-query'] || search === undefined || this.random() < 0.5) return request

    return { ...request, verb: 'QUERY', url, body: JSON.stringify(parseQueryString(search)) }
  }

  /** Tries for a success where random requests had none; a body that was given is always sent. */
  private async reach(): Promise<void> {
    const { contract, operation, maker } = this
    const { app, data, users, seen } = contract
    const given = Object.hasOwn(data, operation.operationId) ? data[operation.operationId] : undefined
    const hasBody = given !== undefined
    const toBody = hasBody ? async () => toJson(isFunction(given) ? await given() : given) : undefined
    const fault = toBody && operation.requestBody && maker.findFault(await toBody())

    if (fault)
      throw new Error(`The data of '${operation.operationId}' is not what the document says: ${fault}`)
    if (this.hasSucceeded && !hasBody) return

    const known = seen.listValues(operation)
    const attempts =
      isOfLogin(app, operation) && !hasBody
        ? await listLoginAttempts(app, users, operation, maker)
        : listAttempts({ operation, maker, callers: this.callers, known, toBody })
    let count = 0

    // What succeeded before may not have been what was given.
    this.hasSucceeded = false

    const tryAll = async (send: (attempt: Attempt) => Promise<void>) => {
      for await (const attempt of attempts) {
        if (this.hasSucceeded || count++ >= MAX_ATTEMPTS) break
        if (attempt) await send(attempt)
      }
    }

    // What a function of `data` has written for an attempt is not compared.
    if (isFunction(given)) await tryAll((attempt) => this.keepingRead(() => this.send(attempt)))
    else await this.keepingRead(() => tryAll((attempt) => this.send(attempt)))
  }

  /** Has responses seen that have the records of a service. */
  private async findRecords(tag: string): Promise<void> {
    const { seen } = this.contract
    const find = seen.getFind(tag)
    const outer = seen.getOuter(tag)

    if (outer !== undefined) await this.findRecords(outer)
    if (!find) return

    const known = find.path.includes('{') ? seen.listValues(find).slice(-MAX_OUTER) : [{}]

    for (const values of known) {
      for (const { client } of this.callers) {
        const url = fillPath(find.path, values)
        const request = { verb: 'GET', url, values, body: undefined, isValid: true }

        seen.remember(find, request, await toReply(client, request))
      }
    }
  }

  /** Runs valid requests, which must not change a record where the operation reads. */
  private keepingRead(run: () => Promise<void>): Promise<void> {
    return this.operation.verb === 'GET' ? this.keepingRecords('requests that read', run) : run()
  }

  /** Runs requests that must not change a record. */
  private async keepingRecords(what: string, run: () => Promise<void>): Promise<void> {
    const before = await readRecords(this.contract.app)

    await run()

    const after = await readRecords(this.contract.app)
    const changed = [...before.keys()].find((path) => before.get(path) !== after.get(path))

    if (changed !== undefined)
      throw new Error(`Records of '${changed}' have changed by ${what}. ${this.repeat()}`)
  }

  private describeFailure(): string {
    const { operationId, requestBody } = this.operation
    const outcomes = describeOutcomes(this.statuses) || 'no request could be made up'
    const given = requestBody ? 'with a body' : 'with a query'

    return [
      `No request to '${operationId}' succeeded: ${outcomes}. Give 'users' who may make it, records that it finds, or 'data: { ${operationId}: … }' ${given}; 'skip' leaves it out`,
      ...(this.refusal ? [`The last one:\n${this.refusal}`] : []),
      this.repeat()
    ].join('\n')
  }

  private repeat(): string {
    return `Run it again with { seed: ${this.contract.seed} }`
  }
}

function isAnonymous({ name }: Caller): boolean {
  return name === ANONYMOUS
}

/**
 * The records of all stores, as they are stored: what hooks and computed fields add may differ in each call. A store that fails
 * without a query is not compared.
 */
async function readRecords(app: Application): Promise<ReadonlyMap<string, string>> {
  const stored = readServices(app).filter(({ isStored }) => isStored)
  const entries = await Promise.all(
    stored.map(async ({ path }) => {
      const records = await app
        .service(path)
        ._find({ paginate: false })
        .catch(() => undefined)

      return [path, JSON.stringify(records)] as const
    })
  )

  return new Map(entries)
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

/** A request for a message. */
function toRequestText({ verb, url, body }: DocumentRequest): string {
  return `${verb} ${url}${body === undefined ? '' : `\n${body}`}`
}

/** The body of a response for a message. */
function shorten({ text }: Reply): string {
  return text.slice(0, 500)
}

function hash(text: string): number {
  return [...text].reduce((sum, letter) => (Math.imul(sum, 31) + (letter.codePointAt(0) ?? 0)) | 0, 0)
}

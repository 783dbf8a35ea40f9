import type { Application } from 'alula'
import { getErrorStatus, type ManifestService, readEntityId } from 'alula/plugin'
import { ANONYMOUS, type Caller, createCaller, createStaleCaller, type Users } from '../callers.ts'
import { type Coverage, CoverageCounter } from '../coverage.ts'
import type { ProofOptions } from '../exposure.ts'
import { findOwnerField, hasMadeFor, withOwner } from './claim.ts'
import { findDifference, isOfOthers, type Made } from './difference.ts'
import { mayHaveHidden } from './leaks.ts'
import { listMissing, type Right } from './missing.ts'
import { getNamed, isStandard, listOperations, type Operation, toName } from './operation.ts'
import { prepareMisplaced } from './parents.ts'
import { send } from './send.ts'
import { isRefusal, isSuccess, toFailure, toUnproved } from './success.ts'
import { type Call, Targets } from './target.ts'
import { needsFreshLogin, OPEN, toVerdict, type Verdict } from './verdict.ts'
import { recordWrites } from './writes.ts'

/** Those who must not succeed call first: what they would change is still there. */
const ORDER: readonly Verdict['kind'][] = ['refused', 'open', 'allowed']

/** Those who must not make records of the owner. */
const STRANGERS: readonly string[] = [ANONYMOUS, 'user']

/** Calls the methods of an application, and collects what differs from the table of access. */
export class Proof {
  readonly targets: Targets
  /** One line for each difference, and for all that is not proved. */
  readonly faults: string[] = []

  private readonly app: Application
  private readonly services: readonly ManifestService[]
  private readonly users: Users
  private readonly options: ProofOptions
  private readonly counter = new CoverageCounter()

  constructor(app: Application, services: readonly ManifestService[], users: Users, options: ProofOptions) {
    this.app = app
    this.services = services
    this.users = users
    this.options = options
    this.targets = new Targets(app, services, options)
  }

  /** Makes all calls. */
  async run(): Promise<void> {
    const { skip = [] } = this.options

    for (const operation of listOperations(this.app, this.services)) {
      if (skip.includes(toName(operation))) continue

      const rights = await this.listRights(operation)

      this.faults.push(...listMissing(operation, rights, this.users, this.options))
      await this.proveParents(operation, rights)
      await this.proveFresh(operation, rights)
      await this.proveRights(operation, rights)
      await this.proveOwner(operation, rights)
    }
  }

  /** What was called. */
  toCoverage(): Coverage {
    const logins = this.services.filter(({ hasOwnAccess }) => hasOwnAccess)

    return this.counter.toCoverage([
      ...logins.flatMap(({ path, methods }) => methods.map(({ name }) => `${path}.${name}`)),
      ...(this.options.skip ?? [])
    ])
  }

  /** Who may make the calls of a method. */
  private async listRights(operation: Operation): Promise<readonly Right[]> {
    const { app, users } = this
    const rights: Right[] = []

    for (const name of [ANONYMOUS, ...Object.keys(users)]) {
      const caller = await createCaller(app, name, users)

      if (caller) rights.push({ name, verdict: this.toVerdict(operation, caller) })
    }

    return rights.toSorted(
      (one, other) => ORDER.indexOf(one.verdict.kind) - ORDER.indexOf(other.verdict.kind)
    )
  }

  private toVerdict(operation: Operation, caller: Caller): Verdict {
    const { app, options } = this
    const verdict = toVerdict(app, operation, caller, getNamed(operation, options))
    const isForOwn =
      verdict.kind === 'allowed' && !isStandard(operation) && isOfOthers(app, options, operation, caller)

    return isForOwn ? OPEN : verdict
  }

  /** Reads are repeated at the end by those who must not succeed: what others have read before must not be kept for them. */
  private async proveRights(operation: Operation, rights: readonly Right[]): Promise<void> {
    const isReading = operation.name === 'find' || operation.name === 'get'
    const shared = isReading ? await this.targets.prepare(operation) : undefined
    const again = isReading ? rights.filter(({ verdict }) => verdict.kind !== 'allowed') : []

    for (const right of [...rights, ...again]) await this.proveRight(operation, right, shared)
  }

  private async proveRight(
    operation: Operation,
    { name, verdict }: Right,
    shared: Call | undefined
  ): Promise<void> {
    let last: Made | undefined
    let isKnown = false
    let isRefused = false

    for (const transport of operation.transports) {
      const made = await this.call(
        operation,
        transport,
        name,
        async () => shared ?? (await this.targets.prepare(operation))
      )

      if (!made) continue

      const difference = findDifference(this.app, this.options, operation, verdict, made)

      if (difference) this.addFault(operation, transport, name, difference)

      last = made
      isKnown ||= difference !== undefined || isSuccess(operation, made)
      isRefused ||= difference !== undefined || isRefusal(this.app, operation, made, this.options)
    }

    if (verdict.kind === 'allowed' && !isKnown) {
      this.faults.push(toFailure(this.app, operation, name, last, this.options))
    } else if (verdict.kind === 'refused' && last && !isRefused) {
      this.faults.push(toUnproved(this.app, operation, name, last, this.options))
    }
  }

  /** A record is found only in the path of its own parent: in that of another one, even callers who may see it do not find it. */
  private async proveParents(operation: Operation, rights: readonly Right[]): Promise<void> {
    const { app, targets } = this
    const { service, transports } = operation
    const right = pickAllowed(rights)

    if (!right) return

    for (const [field, parent] of Object.entries(service.parent ?? {})) {
      const misplaced = await prepareMisplaced(app, targets, operation, field, parent)

      if (typeof misplaced === 'string') {
        this.faults.push(misplaced)
        continue
      }

      for (const transport of transports) {
        const made = await this.call(operation, transport, right.name, async () => misplaced.call)
        const fault = made && misplaced.findFault(made)

        if (fault !== undefined) this.addFault(operation, transport, right.name, fault)
      }
    }
  }

  /** A login that is too old is refused, although its token is valid. */
  private async proveFresh(operation: Operation, rights: readonly Right[]): Promise<void> {
    const { who, transports } = operation
    const right = pickAllowed(rights.filter(({ name }) => name !== ANONYMOUS))

    if (!right || !needsFreshLogin(who)) return

    for (const transport of transports) {
      const toCall = () => this.targets.prepare(operation)
      const made = await this.call(operation, transport, right.name, toCall, createStaleCaller)

      if (!made) continue

      const { status, reason = 'stale' } = made.reply
      const isRefused = status === getErrorStatus(this.app, 'NotAuthenticated')
      const fault = `the table says ${who}, the response is ${status}`

      if (!isRefused) this.addFault(operation, transport, made.caller.name, fault)
      else if (reason !== 'stale')
        this.addFault(operation, transport, made.caller.name, `${fault} for another reason than an old login`)
    }
  }

  /** A record belongs to who has made it, whatever the data says. */
  private async proveOwner(operation: Operation, rights: readonly Right[]): Promise<void> {
    const { owner } = this.users
    const field = findOwnerField(operation)

    if (field === undefined || !owner || getNamed(operation, this.options)) return

    const id = readEntityId(this.app, owner)
    const toCall = async () => {
      const call = await this.targets.prepare(operation)

      return { ...call, data: withOwner(call.data, field, id) }
    }

    for (const { name, verdict } of rights) {
      if (verdict.kind === 'refused' || !STRANGERS.includes(name)) continue

      for (const transport of operation.transports) {
        const made = await this.call(operation, transport, name, toCall)

        if (made && hasMadeFor(operation, field, id, made)) {
          this.addFault(
            operation,
            transport,
            name,
            `the data says whose the record is: '${field}' is the owner`
          )
        }
      }
    }
  }

  /** Makes one call, with a login of its own. */
  private async call(
    operation: Operation,
    transport: string,
    name: string,
    toCall: () => Promise<Call>,
    toCaller = createCaller
  ): Promise<Made | undefined> {
    const { app, users, counter } = this
    const caller = await toCaller(app, name, users)

    if (!caller) return undefined

    const call = await toCall()
    const [reply, written] = await recordWrites(app.service(operation.service.path), () =>
      send(app, transport, caller.client, operation, call)
    )

    counter.add(toName(operation), transport, caller.name, reply.status)

    const isKnown = call.record !== undefined || written.length > 0
    const returned =
      isKnown || !mayHaveHidden(operation, reply.result)
        ? []
        : await this.targets.readReturned(operation.service, reply.result)

    return { caller, call, reply, written, returned }
  }

  private addFault(operation: Operation, transport: string, name: string, fault: string): void {
    this.faults.push(`${toName(operation)} over ${transport} as ${name}: ${fault}`)
  }
}

/** A caller who has to succeed: the owner, where that is one. */
function pickAllowed(rights: readonly Right[]): Right | undefined {
  const allowed = rights.filter(({ verdict }) => verdict.kind === 'allowed')

  return allowed.find(({ name }) => name === 'owner') ?? allowed.at(-1)
}

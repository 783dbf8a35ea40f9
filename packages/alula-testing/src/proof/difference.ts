// What a response has that the table of access does not allow.
import type { Application } from 'alula'
import { readEntityId } from 'alula/plugin'
import type { Caller } from '../callers.ts'
import type { ProofOptions } from '../exposure.ts'
import { belongsToOther, findHidden, hasRecord } from './leaks.ts'
import { getNamed, isStandard, type Operation } from './operation.ts'
import type { Call } from './target.ts'
import { parseWho, type Reply, toVerdict, type Verdict } from './verdict.ts'

/** A call that was made. */
export interface Made {
  readonly caller: Caller
  readonly call: Call
  readonly reply: Reply
  /** The records of the service that were written meanwhile. */
  readonly written: readonly object[]
  /** The records of the response, with all their fields, where no other record is known. */
  readonly returned: readonly object[]
}

/** The records that a response is compared with. */
export function listKnown({ call, written, returned }: Made): readonly object[] {
  return [call.record, ...written, ...returned].filter((record) => record !== undefined)
}

/** Compares a response with the table: what differs; `undefined` where nothing does. */
export function findDifference(
  app: Application,
  options: ProofOptions,
  operation: Operation,
  verdict: Verdict,
  made: Made
): string | undefined {
  const { caller, call, reply, written } = made
  const named = getNamed(operation, options)
  const says = named ? `'callers' says ${named.join(', ') || 'none'}` : `the table says ${operation.who}`

  if (!verdict.isExpected(reply)) return `${says}, the response is ${reply.status}`

  const hidden = listKnown(made)
    .map((record) => findHidden(operation, record, reply.result))
    .find(Boolean)

  if (hidden !== undefined) return `'${hidden}' is hidden, and the response has it`

  const isShown =
    showsOthers(app, operation, caller, reply) ||
    (isOfOthers(app, options, operation, caller) &&
      listStates(operation, call, written).some((record) =>
        hasRecord(operation.service, record, reply.result)
      ))
  const reading = findReading(operation, options)

  return isShown
    ? `the table says ${reading?.who} for '${reading?.name}', and the response has a record of another user`
    : undefined
}

/** The record that a call is about, before and after it. Others that were written may be those of the caller. */
function listStates({ service }: Operation, { record }: Call, written: readonly object[]): readonly object[] {
  const getId = (one: object) => (one as { readonly [field: string]: unknown })[service.id]

  return record ? [record, ...written.filter((one) => getId(one) === getId(record))] : []
}

/**
 * Whether the records of a proof are not for a caller to see. A list has none of them then, and a custom method may say that
 * there is no such record.
 */
export function isOfOthers(
  app: Application,
  options: ProofOptions,
  operation: Operation,
  caller: Caller
): boolean {
  const reading = findReading(operation, options)

  return reading !== undefined && !mayRead(app, options, reading, caller)
}

/** The method whose rule says who may see the records that a call returns; `undefined` where its own rule says it all. */
function findReading(operation: Operation, options: ProofOptions): Operation | undefined {
  const { service, name } = operation

  if (name === 'find' || service.isSingleton) return operation
  if (isStandard(operation) || getNamed(operation, options)) return undefined

  const { methods } = service
  const method = methods.find((one) => one.name === 'get') ?? methods.find((one) => one.name === 'find')

  return method && method.who !== 'nobody' ? { ...method, service } : undefined
}

/** Whether a caller may see the record that a call is about. */
function mayRead(app: Application, options: ProofOptions, reading: Operation, caller: Caller): boolean {
  const named = getNamed(reading, options)
  const { who, service } = reading

  if (named) return named.includes(caller.name)
  if (service.isSingleton) return caller.name === 'owner'
  if (parseWho(who).kind === 'owner') return caller.name === 'owner'

  return toVerdict(app, reading, caller, undefined).kind !== 'refused'
}

/** Whether a list that is for owners has records of others. */
function showsOthers(
  app: Application,
  { service, name, who }: Operation,
  { entity }: Caller,
  { result }: Reply
): boolean {
  const rule = parseWho(who)

  if (name !== 'find' || rule.kind !== 'owner' || !entity) return false

  return belongsToOther(service, rule.field, readEntityId(app, entity), result)
}

// Whether a call proves that its caller may make it; if none does, what to give.
import type { Application } from 'alula'
import { getErrorStatus } from 'alula/plugin'
import { isFunction, isObject } from '../check.ts'
import type { ProofOptions } from '../exposure.ts'
import { listKnown, type Made } from './difference.ts'
import { mayHaveHidden } from './leaks.ts'
import { getNamed, listHidden, type Operation, toKey, toName } from './operation.ts'
import { parseWho } from './verdict.ts'

/**
 * Whether a call has succeeded. An empty list does not show whose records it is for, nor what is hidden in them. Without a
 * record to compare with, neither does a response that may have what is hidden.
 */
export function isSuccess(operation: Operation, made: Made): boolean {
  const { caller, reply } = made

  if (reply.status >= 400 || isUncompared(operation, made)) return false
  if (operation.name !== 'find' || hasRecords(reply.result)) return true
  if (parseWho(operation.who).kind === 'owner') return caller.name !== 'owner'

  return listHidden(operation).length === 0
}

/**
 * Whether a call that must not succeed shows it. What `callers` says needs this where no caller succeeds, because data that is
 * not valid and a record that is not there are refused to all; and a list needs a record that it must not have.
 */
export function isRefusal(
  app: Application,
  operation: Operation,
  { call, reply }: Made,
  options: ProofOptions
): boolean {
  const named = getNamed(operation, options)
  const { status } = reply

  if (!named) return true
  if (status < 400) return call.record !== undefined || !hasRecords(reply.result)
  if (named.length > 0) return true

  return call.record !== undefined && status === getErrorStatus(app, 'NotFound')
    ? true
    : ['NotAuthenticated', 'Forbidden'].some((error) => getErrorStatus(app, error) === status)
}

/** Whether nothing is known that what is hidden could be found by. */
function isUncompared(operation: Operation, made: Made): boolean {
  return listKnown(made).length === 0 && mayHaveHidden(operation, made.reply.result)
}

/** Whether there is something in the first lists of a result; what has no list is a record. */
function hasRecords(result: unknown): boolean {
  if (Array.isArray(result)) return result.length > 0
  if (!isObject(result)) return false

  const lists = Object.values(result).filter(Array.isArray)

  return lists.length === 0 || lists.some((list) => list.length > 0)
}

/** The line for a caller who never succeeded; `made` is the last call, if there was one. */
export function toFailure(
  app: Application,
  operation: Operation,
  name: string,
  made: Made | undefined,
  options: ProofOptions
): string {
  const { status = 0 } = made?.reply ?? {}
  const subject = `${toName(operation)} as ${name}`
  const advice = toAdvice(app, operation, made, options)

  if (made && status < 400 && isUncompared(operation, made)) {
    return toLine(`${subject}: nothing is proved of hidden fields, because no record is known`, advice)
  }

  const outcome = !made
    ? 'the user was removed by a call before'
    : status < 400
      ? 'the response has no record'
      : toOutcome(made)

  return toLine(`${subject} never succeeded: ${outcome}`, advice)
}

/** The line for a caller of whom nothing shows that the method is closed; `made` is the last call. */
export function toUnproved(
  app: Application,
  operation: Operation,
  name: string,
  made: Made,
  options: ProofOptions
): string {
  const named = getNamed(operation, options)?.join(', ') || 'none'
  const outcome = made.reply.status < 400 ? 'no record is known' : toOutcome(made)

  return toLine(
    `${toName(operation)} as ${name}: 'callers' says ${named}, and nothing shows it: ${outcome}`,
    toAdvice(app, operation, made, options)
  )
}

function toOutcome({ reply: { status, message } }: Made): string {
  return `the response is ${status}${message ? `, ${message}` : ''}`
}

function toLine(sentence: string, advice: string): string {
  return advice === '' ? sentence : `${sentence}. ${advice}`
}

/** Errors that other data would not have. */
const UNFIT: readonly string[] = ['BadRequest', 'Forbidden', 'Conflict', 'Unprocessable']

/** What a proof has to be given. */
function toAdvice(
  app: Application,
  { service, name, args }: Operation,
  made: Made | undefined,
  options: ProofOptions
): string {
  const path = toKey(service.path)
  const missing = getErrorStatus(app, 'NotFound')
  const { status = missing } = made?.reply ?? {}
  const [open] = made?.call.open ?? []
  const hasData = args.includes('data')
  const given = options.records?.[service.path]

  if (open !== undefined && status < 429) return `Give 'route: { ${path}: { ${toKey(open)}: … } }'`
  if (status < 400 || status === missing) {
    if (given === undefined) return `Give 'records: { ${path}: … }'`
    if (status < 400 && made?.call.record === undefined)
      return `Give 'records: { ${path}: { … } }', the record itself`

    return isFunction(given) ? '' : `Give 'records: { ${path}: () => … }', which makes a record for each call`
  }
  if (!UNFIT.some((one) => getErrorStatus(app, one) === status)) return ''

  const isTaken = status === getErrorStatus(app, 'Conflict')

  return `Give '${hasData ? 'data' : 'query'}: { ${path}: { ${toKey(name)}: … } }'${isTaken ? ', as a function that makes it for each call' : ''}`
}

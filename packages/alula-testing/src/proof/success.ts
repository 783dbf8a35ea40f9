// Whether a call proves that its caller may make it; if none does, what to give.
import type { Application } from 'alula'
import { getErrorStatus } from 'alula/plugin'
import { isFunction, isObject } from '../check.ts'
import type { ProofOptions } from '../exposure.ts'
import type { Made } from './difference.ts'
import { listHidden, type Operation, toKey, toName } from './operation.ts'
import { parseWho } from './verdict.ts'

/**
 * Whether a call has succeeded. An empty list does not show whose records it is for, nor what is hidden in them.
 *
 * @param operation The method
 * @param made The call
 */
export function isSuccess(operation: Operation, { caller, reply }: Made): boolean {
  if (reply.status >= 400) return false
  if (operation.name !== 'find' || hasRecords(reply.result)) return true
  if (parseWho(operation.who).kind === 'owner') return caller.name !== 'owner'

  return listHidden(operation).length === 0
}

/** Whether there is something in the first lists of a result; what has no list is a record. */
function hasRecords(result: unknown): boolean {
  if (Array.isArray(result)) return result.length > 0
  if (!isObject(result)) return false

  const lists = Object.values(result).filter(Array.isArray)

  return lists.length === 0 || lists.some((list) => list.length > 0)
}

/**
 * The line for a caller who never succeeded.
 *
 * @param app The application
 * @param operation The method
 * @param name The caller
 * @param made The last call; missing where there was none
 * @param options Those of the proof
 */
export function toFailure(
  app: Application,
  operation: Operation,
  name: string,
  made: Made | undefined,
  options: ProofOptions
): string {
  const { status = 0, message } = made?.reply ?? {}
  const outcome = !made
    ? 'the user was removed by a call before'
    : status < 400
      ? 'the response has no record'
      : `the response is ${status}${message ? `, ${message}` : ''}`

  const advice = toAdvice(app, operation, made, options)

  return [`${toName(operation)} as ${name} never succeeded: ${outcome}`, advice].filter(Boolean).join('. ')
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

    return isFunction(given) ? '' : `Give 'records: { ${path}: () => … }', which makes a record for each call`
  }
  if (!UNFIT.some((one) => getErrorStatus(app, one) === status)) return ''

  const isTaken = status === getErrorStatus(app, 'Conflict')

  return `Give '${hasData ? 'data' : 'query'}: { ${path}: { ${toKey(name)}: … } }'${isTaken ? ', as a function that makes it for each call' : ''}`
}

// What the table of access lets a caller have.
import type { Application } from 'alula'
import { getErrorStatus, readEntityId } from 'alula/plugin'
import type { Caller } from '../callers.ts'
import { belongsToOther } from './leaks.ts'
import type { Operation } from './operation.ts'

/** A response, and what a call that succeeded has returned. */
export interface Reply {
  readonly status: number
  readonly result?: unknown
  /** Of the error of a call that failed. */
  readonly message?: string
  /** Why it failed, as its data says; an empty text where that says nothing. Missing where a formatter has made the error. */
  readonly reason?: string
}

/** What a caller may have of a method. */
export interface Verdict {
  /** `allowed`: the caller has to succeed. `refused`: must not. `open`: the table does not say. */
  readonly kind: 'allowed' | 'refused' | 'open'
  /** Whether a response is one that the caller may get. */
  readonly isExpected: (reply: Reply) => boolean
}

/** Who may call a method, as the table says it. */
export type Who =
  | { readonly kind: 'nobody' | 'anyone' | 'user' | 'function' }
  | { readonly kind: 'role'; readonly role: string; readonly fields: readonly string[] }
  | { readonly kind: 'owner'; readonly field: string }

/** Reads a cell of the table that `exposure` returns. */
export function parseWho(who: string): Who {
  const [, field] = /^owner\('(.*)'\)/.exec(who) ?? []
  const [, role, place] = /^role\('(.*?)'(?:, \{ field: '(.*)' \})?\)$/.exec(who) ?? []

  if (who === 'nobody' || who === 'anyone') return { kind: who }
  if (who === 'user' || who.startsWith('hook authenticate(') || needsFreshLogin(who)) return { kind: 'user' }
  if (role !== undefined) return { kind: 'role', role, fields: place ? [place] : ['role', 'roles'] }

  return field === undefined ? { kind: 'function' } : { kind: 'owner', field }
}

/** Whether a cell of the table asks for a login that is not too old. */
export function needsFreshLogin(who: string): boolean {
  return /^fresh\('.*'\)$/.test(who)
}

/**
 * Decides what a caller may have of a method. `named` are the callers that a proof says it lets pass, in place of the table.
 */
export function toVerdict(
  app: Application,
  { service, name: method, who }: Operation,
  { name, entity }: Caller,
  named: readonly string[] | undefined
): Verdict {
  // Applications may change the statuses of errors.
  const is = ({ status }: Reply, names: readonly string[]) =>
    names.some((name) => getErrorStatus(app, name) === status)
  const allowed: Verdict = {
    kind: 'allowed',
    isExpected: (reply) => isAnswered(reply) && !is(reply, REFUSALS)
  }
  const refused = (names: readonly string[]): Verdict => ({
    kind: 'refused',
    isExpected: (reply) => is(reply, names)
  })

  if (named) {
    if (named.includes(name)) return allowed

    // Which records a list may have is another question.
    return method === 'find'
      ? { kind: 'refused', isExpected: (reply) => reply.status < 300 || is(reply, [...REFUSALS, ...UNFIT]) }
      : refused([...REFUSALS, ...UNFIT])
  }

  const rule = parseWho(who)

  if (rule.kind === 'function') return OPEN
  if (rule.kind === 'nobody') return refused(REFUSALS)
  if (rule.kind === 'anyone') return allowed
  if (!entity) return refused(['NotAuthenticated'])
  if (rule.kind === 'role') return hasRole(entity, rule) ? allowed : refused(['Forbidden'])
  if (rule.kind !== 'owner' || method === 'find') return allowed
  // Data that does not name the owner is refused; without a success this is said with what to give.
  if (name === 'owner') return { kind: 'allowed', isExpected: isAnswered }
  if (method !== 'create') return refused([...UNFIT, 'Forbidden'])

  // A hook of the application may name the owner.
  return {
    kind: 'open',
    isExpected: (reply) =>
      is(reply, [...UNFIT, 'Forbidden']) ||
      (reply.status < 400 && !belongsToOther(service, rule.field, readEntityId(app, entity), reply.result))
  }
}

/** Nothing is known of what the caller may have. */
export const OPEN: Verdict = { kind: 'open', isExpected: isAnswered }

const REFUSALS: readonly string[] = ['NotAuthenticated', 'Forbidden']

/** A record that the caller may not know of is not there; data that would change it may be refused before. */
const UNFIT: readonly string[] = ['BadRequest', 'NotFound']

function isAnswered({ status }: Reply): boolean {
  return status < 500
}

function hasRole(entity: object, { role, fields }: Who & { readonly kind: 'role' }): boolean {
  return fields.some((field) =>
    [(entity as { readonly [field: string]: unknown })[field]].flat().includes(role)
  )
}

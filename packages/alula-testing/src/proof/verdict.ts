// What the table of access lets a caller have.
import type { Application } from 'alula'
import type { ExposureRow } from 'alula/access'
import { getPath, readEntityId } from 'alula/plugin'
import type { Caller } from '../callers.ts'
import { isSameJson, listObjects } from '../objects.ts'

/** A response, and what a call that succeeded has returned. */
export interface Reply {
  readonly status: number
  readonly result?: unknown
  /** Of the error of a call that failed. */
  readonly message?: string
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
  | { readonly kind: 'role'; readonly role: string }
  | { readonly kind: 'owner'; readonly field: string }

/**
 * Reads a cell of the table.
 *
 * @param who What `exposure` says
 */
export function parseWho(who: string): Who {
  const [, field] = /^owner\('(.*)'\)/.exec(who) ?? []
  const [, role] = /^role\('(.*)'\)$/.exec(who) ?? []

  if (who === 'nobody' || who === 'anyone') return { kind: who }
  if (who === 'user' || who.startsWith('hook authenticate(')) return { kind: 'user' }
  if (role !== undefined) return { kind: 'role', role }

  return field === undefined ? { kind: 'function' } : { kind: 'owner', field }
}

/**
 * Decides what a caller may have of a method.
 *
 * @param app The application
 * @param row The row of the method
 * @param caller The caller
 * @param named The callers that a proof says the method lets pass, in place of what the table says
 */
export function toVerdict(
  app: Application,
  { method, who }: Pick<ExposureRow, 'method' | 'who'>,
  { name, entity }: Caller,
  named: readonly string[] | undefined
): Verdict {
  if (named) return named.includes(name) ? ALLOWED : method === 'find' ? REFUSED_OR_EMPTY : REFUSED_SOMEHOW

  const rule = parseWho(who)

  switch (rule.kind) {
    case 'nobody':
      return REFUSED
    case 'anyone':
      return ALLOWED
    case 'user':
      return entity ? ALLOWED : UNAUTHENTICATED
    case 'role':
      return !entity ? UNAUTHENTICATED : hasRole(entity, rule.role) ? ALLOWED : FORBIDDEN
    case 'owner':
      if (!entity) return UNAUTHENTICATED
      if (method === 'find') return ALLOWED
      // Data that does not name the owner is refused; without a success this is said with what to give.
      if (name === 'owner') return ALLOWED_WITH_DATA

      return method === 'create' ? toOwn(app, entity, rule.field) : REFUSED_SOMEHOW
    case 'function':
      return OPEN
  }
}

function isRefused({ status }: Reply): boolean {
  return status === 401 || status === 403
}

/** Whatever becomes of the call then: no such record, data that is not valid. */
function isAdmitted(reply: Reply): boolean {
  return !isRefused(reply) && reply.status < 500
}

/** A record that the caller may not know of is not there; data that would change it may be refused before. */
function isRefusedSomehow(reply: Reply): boolean {
  return isRefused(reply) || reply.status === 400 || reply.status === 404
}

const ALLOWED: Verdict = { kind: 'allowed', isExpected: isAdmitted }
const ALLOWED_WITH_DATA: Verdict = {
  kind: 'allowed',
  isExpected: ({ status }) => status !== 401 && status < 500
}
/** Nothing is known of what the caller may have. */
export const OPEN: Verdict = { kind: 'open', isExpected: ({ status }) => status < 500 }
const REFUSED: Verdict = { kind: 'refused', isExpected: isRefused }
const UNAUTHENTICATED: Verdict = { kind: 'refused', isExpected: ({ status }) => status === 401 }
const FORBIDDEN: Verdict = { kind: 'refused', isExpected: ({ status }) => status === 403 }
const REFUSED_SOMEHOW: Verdict = { kind: 'refused', isExpected: isRefusedSomehow }
/** Which records a list may have is another question. */
const REFUSED_OR_EMPTY: Verdict = {
  kind: 'refused',
  isExpected: (reply) => isRefusedSomehow(reply) || reply.status < 300
}

/** A hook of the application may name the owner. */
function toOwn(app: Application, entity: object, field: string): Verdict {
  const id = readEntityId(app, entity)

  return {
    kind: 'open',
    isExpected: (reply) =>
      isRefusedSomehow(reply) ||
      (reply.status < 400 &&
        listObjects(reply.result)
          .map((object) => getPath(object, field.split('.')))
          .every((owner) => owner === undefined || isSameJson(owner, id)))
  }
}

function hasRole(entity: object, role: string): boolean {
  return Object.values(entity).some((value) => [value].flat().includes(role))
}

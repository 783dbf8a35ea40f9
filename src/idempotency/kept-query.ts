// What a repeated patch is looked up by: its query, without the conditions of the client that the first call has made untrue.
import { evaluateForWrite } from '../access/write-decision.ts'
import type { Query } from '../core/types.ts'
import { listAsked } from '../query/asked.ts'
import { toReadings } from '../query/coerce.ts'
import { isEqual } from '../query/compare.ts'
import { RESULT_FILTERS } from '../query/operators.ts'
import { getFirstName, isPlainObject } from '../utils/object.ts'
import { isSameId } from '../utils/same-id.ts'

/** One of the conditions of a query that must all hold. */
type Condition = readonly [name: string, value: unknown]

/**
 * The conditions of a query after all hooks, without those of the client on written fields, which may no longer hold; no hook
 * has changed `sent`. Each is left out once: all others are looked at again, because a hook may have added what the client has
 * sent too.
 */
export function toKept(query: Query, sent: Query, data: unknown): Query {
  const written: Query = Object(data)
  const left = listConditions(sent)

  return filterConditions(query, (condition) => !(isChanged(condition, written) && take(left, condition)))
}

/**
 * The conditions of the client alone, without those on written fields: what names one of several records with the same id. Which
 * fields the client wants is left out too, because a rule may be about others.
 */
export function toNaming(query: Query, sent: Query, data: unknown): Query {
  const written: Query = Object(data)
  const left = listConditions(sent)

  return filterConditions(
    query,
    (condition) =>
      !Object.hasOwn(RESULT_FILTERS, condition[0]) && take(left, condition) && !isChanged(condition, written)
  )
}

function listConditions(query: Query): Condition[] {
  return Object.entries(query).flatMap(([name, value]): Condition[] =>
    isConjunction(name, value) ? value.flatMap((part) => listConditions(part)) : [[name, value]]
  )
}

/** Copies a query with some of the conditions that must all hold, including those in `$and`. */
function filterConditions(query: Query, isKept: (condition: Condition) => boolean): Query {
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]): Condition[] => {
      if (isConjunction(name, value)) return [[name, value.map((part) => filterConditions(part, isKept))]]

      return isKept([name, value]) ? [[name, value]] : []
    })
  )
}

function isConjunction(name: string, value: unknown): value is readonly Query[] {
  return name === '$and' && Array.isArray(value) && value.every(isPlainObject)
}

/** Whether a condition is about fields that were written, and what was written is not enough for it to hold. */
function isChanged([name, value]: Condition, data: Query): boolean {
  const query = { [name]: value }
  const sets = (field: string) => Object.hasOwn(data, field)

  return (
    listAsked(query).some((path) => sets(getFirstName(path))) &&
    evaluateForWrite(query, { data, sets, makes: () => false }) !== true
  )
}

/** Takes a condition out of those that were sent, if it is one of them. */
function take(sent: Condition[], [name, value]: Condition): boolean {
  const index = sent.findIndex(([other, original]) => other === name && isMadeOf(value, original))

  if (index !== -1) sent.splice(index, 1)

  return index !== -1
}

/** Whether a value is what was sent, as a schema converts it: a number for its string, a list for its only value. */
function isMadeOf(value: unknown, sent: unknown): boolean {
  if (Array.isArray(value)) return areMadeOf(value, [sent].flat())
  if (isPlainObject(value)) return isPlainObject(sent) && areMadeOf(value, sent)

  // A URL has no null.
  return isSameId(sent, value) || toReadings(sent === '' ? null : sent).some((one) => isEqual(value, one))
}

function areMadeOf(values: object, sent: object): boolean {
  const members = Object.entries(values)
  const originals = new Map<string, unknown>(Object.entries(sent))

  return (
    members.length === originals.size &&
    members.every(([name, value]) => originals.has(name) && isMadeOf(value, originals.get(name)))
  )
}

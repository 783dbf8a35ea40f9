import { copyQuery } from './validated.ts'

/** Adds conditions that hold whatever else a query says. The query is not changed. */
export function addConditions(
  query: { readonly [name: string]: unknown },
  conditions: readonly object[]
): { [name: string]: any } {
  const { $and } = query
  // A list that is none stays one level down, where the adapter refuses it.
  const others: readonly unknown[] = $and === undefined ? [] : Array.isArray($and) ? $and : [{ $and }]

  return copyQuery(query, { $and: [...others, ...conditions] })
}

/** Starts a process that writes to a table, and kills it at a random moment. Resolves to what it has acknowledged. */
export function killWriter(target: {
  database: string
  journal?: string
  table: string
  round: number
}): Promise<Map<number, string>>

/** What is wrong with a table after its writers were killed: a sentence for each fault. */
export function findLosses(
  acknowledged: ReadonlyMap<number, string>,
  rows: readonly { id: number; name: string }[]
): string[]

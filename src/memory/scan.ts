import type { Condition } from '../query/ast.ts'
import { type CustomPredicates, toFieldTest, toPredicate } from '../query/predicate.ts'
import type { Columns } from './columns.ts'

/**
 * Finds the positions whose fields match a condition by looking at all of them: one part of the condition after the
 * other, each in one loop over one column.
 *
 * @param where The condition
 * @param count How many positions there are
 * @param columns What the records hold there
 * @param custom The meaning of custom operators
 * @returns In order, and in a new list. Where a record was removed, a condition may match the nothing that is there
 */
export function scan(
  where: Condition,
  count: number,
  columns: Columns,
  custom: CustomPredicates | undefined
): number[] {
  const conditions = where.kind === 'and' ? where.conditions : [where]
  let positions: number[] | undefined

  for (const condition of conditions) positions = keep(condition, positions, count, columns, custom)

  return positions ?? createPositions(count)
}

/** By hand: `Array.from` takes ten times as long. */
function createPositions(count: number): number[] {
  const positions: number[] = []

  for (let position = 0; position < count; position++) positions.push(position)

  return positions
}

/** @param positions Where to look; everywhere when left out */
function keep(
  condition: Condition,
  positions: readonly number[] | undefined,
  count: number,
  columns: Columns,
  custom: CustomPredicates | undefined
): number[] {
  if (!isIdentity(condition)) return keepMatching(positions, count, toTest(condition, columns, custom))

  const column = columns.get(condition.path)
  const isWanted = condition.operator === 'eq'

  return positions === undefined && isWanted
    ? findIdentical(column, condition.value)
    : keepIdentical(positions, column, condition.value, isWanted)
}

/** What is asked of each position: of what a column holds there, or of the position itself. */
interface Test {
  readonly column?: readonly unknown[]
  readonly matches: (subject: any) => boolean
}

function toTest(condition: Condition, columns: Columns, custom: CustomPredicates | undefined): Test {
  if (condition.kind === 'compare' || condition.kind === 'custom') {
    return { column: columns.get(condition.path), matches: toFieldTest(condition, custom) }
  }

  return { matches: toPredicate(condition, custom, columns.read) }
}

function keepMatching(
  positions: readonly number[] | undefined,
  count: number,
  { column, matches }: Test
): number[] {
  const kept: number[] = []
  const end = positions ? positions.length : count

  for (let index = 0; index < end; index++) {
    const position = positions ? (positions[index] as number) : index

    if (matches(column ? column[position] : position)) kept.push(position)
  }

  return kept
}

/** Whether it is asked for the very same value, or any other: not for what is equal by what it holds, nor for null. */
function isIdentity(condition: Condition): condition is Condition & { kind: 'compare' } {
  if (condition.kind !== 'compare' || (condition.operator !== 'eq' && condition.operator !== 'ne'))
    return false

  return typeof condition.value !== 'object' && condition.value !== undefined
}

/** The engine compares faster than any loop. */
function findIdentical(column: readonly unknown[], value: unknown): number[] {
  const found: number[] = []

  for (
    let position = column.indexOf(value);
    position !== -1;
    position = column.indexOf(value, position + 1)
  ) {
    found.push(position)
  }

  return found
}

/** What `keepMatching` does, without a call for each position. */
function keepIdentical(
  positions: readonly number[] | undefined,
  column: readonly unknown[],
  value: unknown,
  isWanted: boolean
): number[] {
  const kept: number[] = []
  const end = positions ? positions.length : column.length

  for (let index = 0; index < end; index++) {
    const position = positions ? (positions[index] as number) : index

    if ((column[position] === value) === isWanted) kept.push(position)
  }

  return kept
}

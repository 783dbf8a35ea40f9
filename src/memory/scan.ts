import type { Condition } from '../query/ast.ts'
import { type CustomPredicates, toFieldTest, toPredicate } from '../query/predicate.ts'
import type { Reader } from '../query/read.ts'
import { type Columns, MAX_COLUMNS } from './columns.ts'
import type { EntryList } from './entry.ts'

/** What is searched. */
export interface Source {
  readonly list: EntryList
  readonly columns: Columns
  /** Reads the record at a position. */
  readonly read: Reader<number>
  /** Whether so many records are read one by one, and not by columns. */
  isFew(count: number): boolean
}

/**
 * Finds the positions of the records that match a condition by looking at all of them: one part of the condition after
 * the other, each in one loop over one column, as long as many records are left to look at.
 *
 * @param where The condition
 * @param source The records
 * @param custom The meaning of custom operators
 * @returns Positions in order, in a new list
 */
export function scan(where: Condition, source: Source, custom: CustomPredicates | undefined): number[] {
  // A client may name a thousand fields, and each column is as long as there are records.
  if (getFields(where).size > MAX_COLUMNS) {
    return toPositions(source).filter(toPredicate(where, custom, source.read))
  }

  let positions: number[] | undefined

  for (const condition of where.kind === 'and' ? where.conditions : [where]) {
    positions = keep(condition, positions, source, custom)
  }

  return positions ?? toPositions(source)
}

/** @param found Where to look; everywhere when left out */
function keep(
  condition: Condition,
  found: number[] | undefined,
  source: Source,
  custom: CustomPredicates | undefined
): number[] {
  const { columns } = source

  // Where a record was removed, a column holds `undefined`, which is no value to ask for.
  if (found === undefined && isIdentity(condition) && condition.operator === 'eq') {
    return findIdentical(columns.get(condition.path), condition.value)
  }

  // Where nothing is, nobody is asked: custom operators expect what records hold.
  const positions = found ?? toPositions(source)

  if (source.isFew(positions.length)) return positions.filter(toPredicate(condition, custom, source.read))

  if (isIdentity(condition)) {
    return keepIdentical(positions, columns.get(condition.path), condition.value, condition.operator === 'eq')
  }
  if (condition.kind === 'compare' || condition.kind === 'custom') {
    return keepMatching(positions, columns.get(condition.path), toFieldTest(condition, custom))
  }

  return positions.filter(toPredicate(condition, custom, columns.read))
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
  positions: readonly number[],
  column: readonly unknown[],
  value: unknown,
  isWanted: boolean
): number[] {
  const kept: number[] = []

  for (let index = 0; index < positions.length; index++) {
    const position = positions[index] as number

    if ((column[position] === value) === isWanted) kept.push(position)
  }

  return kept
}

/** By hand, as all loops here: `filter` takes two calls for each position. */
function keepMatching(
  positions: readonly number[],
  column: readonly unknown[],
  matches: (field: unknown) => boolean
): number[] {
  const kept: number[] = []

  for (let index = 0; index < positions.length; index++) {
    const position = positions[index] as number

    if (matches(column[position])) kept.push(position)
  }

  return kept
}

function toPositions({ list }: Source): number[] {
  const positions: number[] = []

  for (let position = 0; position < list.length; position++) {
    if (list[position] !== undefined) positions.push(position)
  }

  return positions
}

/** The names of all fields that a condition asks for. */
function getFields(condition: Condition, fields: Set<string> = new Set()): ReadonlySet<string> {
  switch (condition.kind) {
    case 'and':
    case 'or':
      for (const part of condition.conditions) getFields(part, fields)
      break
    case 'not':
      getFields(condition.condition, fields)
      break
    default:
      fields.add(condition.path.join('.'))
  }

  return fields
}

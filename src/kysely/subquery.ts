import { BadRequest } from '../errors.ts'
import type { Condition } from '../query/ast.ts'
import { isSamePlace, Operand, type SetPlace } from '../query/related.ts'
import type { Fragment } from './dialect.ts'
import type { Column } from './table.ts'

/** The values of a column in the rows of another table, as an operand of `in`. */
export class Subquery extends Operand {
  readonly column: Column
  /** What the rows are selected with, of the column itself or as text. */
  readonly select: (value: Fragment) => Fragment
  /** Where the rows are read. */
  readonly place: SetPlace

  constructor(column: Column, select: (value: Fragment) => Fragment, place: SetPlace) {
    super()
    this.column = column
    this.select = select
    this.place = place
  }
}

/**
 * Checks that a statement reads what its conditions ask of other tables where that was asked for: a hook may have set another
 * user since. Throws BadRequest where it reads elsewhere, or policies show it other rows.
 */
export function assertPlace(condition: Condition, getPlace: () => SetPlace): void {
  switch (condition.kind) {
    case 'and':
    case 'or':
      for (const part of condition.conditions) assertPlace(part, getPlace)
      return
    case 'not':
      assertPlace(condition.condition, getPlace)
      return
    default:
      if (condition.value instanceof Subquery && !isSamePlace(condition.value.place, getPlace())) {
        throw new BadRequest(
          `Invalid query: it filters by records of another database, or that are read with other settings of 'session'`
        )
      }
  }
}

import { Operand } from '../query/related.ts'
import type { Fragment } from './dialect.ts'
import type { Column } from './table.ts'

/** The values of a column in the rows of another table, as an operand of `in`. */
export class Subquery extends Operand {
  readonly column: Column
  /** What the rows are selected with, of the column itself or as text. */
  readonly select: (value: Fragment) => Fragment

  constructor(column: Column, select: (value: Fragment) => Fragment) {
    super()
    this.column = column
    this.select = select
  }
}

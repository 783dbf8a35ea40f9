import type { Path } from '../query/ast.ts'
import type { Reader } from '../query/read.ts'
import { BoundedMap } from '../utils/bounded-map.ts'
import { getPath } from '../utils/object.ts'
import type { Entry, EntryList } from './entry.ts'

/** How many fields have a column at a time: clients may ask for any field, and each takes room. */
export const MAX_COLUMNS = 16

/** How many changes are remembered at least. */
const MIN_CHANGES = 1024

interface Column {
  /** What the field holds, by the position of the entry. */
  readonly values: unknown[]
  /** How many of the changes are in. */
  changes: number
}

/**
 * The values of single fields, each field in an array of its own, for searches that look at every record: to go from
 * record to record costs several times as much. A column is made when a field is first searched. Writing empties a place
 * and notes it; the column catches up when it is needed next.
 */
export class Columns {
  private list: EntryList = []
  private readonly columns = new BoundedMap<string, Column>(MAX_COLUMNS)
  /** Positions whose record is another one since the first column was made. */
  private changes: number[] = []

  /** Reads fields by the position of their record. */
  readonly read: Reader<number> = (path) => {
    const values = this.get(path)

    return (position) => values[position]
  }

  /** Begins anew, with other entries. */
  reset(list: EntryList): void {
    this.list = list
    this.forget()
  }

  /** Says that there is another record at a position, or none: what was there is let go of at once. */
  noteChange(position: number): void {
    if (this.columns.size === 0) return

    for (const { values } of this.columns.values()) {
      if (position < values.length) values[position] = undefined
    }

    this.changes.push(position)
    // Then it is as well to look at all of them again, if anybody asks.
    if (this.changes.length > Math.max(MIN_CHANGES, this.list.length)) this.forget()
  }

  /** What all entries hold in a field, by position. It is right until something changes. */
  get(path: Path): readonly unknown[] {
    const name = path.join('.')
    const column = this.columns.get(name) ?? this.create(name, path)

    for (; column.changes < this.changes.length; column.changes++) {
      const position = this.changes[column.changes] as number

      column.values[position] = getField(this.list[position], path)
    }

    return column.values
  }

  private create(name: string, path: Path): Column {
    const values = this.list.map((entry) => getField(entry, path))
    const column = { values, changes: this.changes.length }

    this.columns.set(name, column)

    return column
  }

  private forget(): void {
    this.columns.clear()
    this.changes = []
  }
}

function getField(entry: Entry | undefined, path: Path): unknown {
  return entry && getPath(entry.record, path)
}

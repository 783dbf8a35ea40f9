import type { AnyKysely } from '../any-kysely.ts'

/** Where a call reads: calls with the same origin find the same rows. */
export interface Origin {
  readonly source: AnyKysely
  /** The name of the table. */
  readonly name: string
  /** The name of the id column. */
  readonly id: string
  readonly transaction: object | undefined
}

/** What was read of a table by values of a column, before a call asks for it. */
export class Prefetched<Value> {
  private readonly origin: Origin
  private readonly column: string
  private readonly byValue: ReadonlyMap<unknown, Value>

  constructor(
    { source, name, id, transaction }: Origin,
    column: string,
    byValue: ReadonlyMap<unknown, Value>
  ) {
    this.origin = { source, name, id, transaction }
    this.column = column
    this.byValue = byValue
  }

  /**
   * What was read for some values of a column.
   *
   * @param origin Where a call would read it
   * @returns `undefined` where the call would read something else
   */
  find(origin: Origin, column: string, values: readonly unknown[]): readonly Value[] | undefined {
    const names = Object.keys(this.origin) as (keyof Origin)[]
    const isSame = column === this.column && names.every((name) => origin[name] === this.origin[name])

    return isSame && values.every((value) => this.byValue.has(value))
      ? values.map((value) => this.byValue.get(value) as Value)
      : undefined
  }
}

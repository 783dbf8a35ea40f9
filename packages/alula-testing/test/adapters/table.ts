import { randomUUID } from 'node:crypto'
import { BadRequest } from '../../../../src/errors.ts'
import { MemoryService } from '../../../../src/memory.ts'
import type { Condition } from '../../../../src/query.ts'
import { TEST_FIELDS } from '../../src/adapters.ts'

/**
 * A service that can do what a plain SQL table can: fixed columns of one type, null for what is missing, 1 and 0
 * for true and false, numbers that the store makes for ids, rows in any order, text in the order of code points.
 */
export class TableService extends MemoryService<any, any> {
  constructor(options: any) {
    super({ ...options, startId: 1, sorter: toSorter })
  }

  /** Refuses names that are no columns, as a database does. */
  protected override parseQuery(params?: any): any {
    const parsed = super.parseQuery(params)
    const columns = [this.id, 'shuffle', ...Object.keys(toEmptyRow())]
    const names = [
      ...toPaths(parsed.where),
      ...parsed.sort.map(({ path }) => path.join('.')),
      ...(parsed.select ?? [])
    ]
    const unknown = names.find((name) => !columns.includes(name))

    if (unknown !== undefined) throw new BadRequest(`There is no column '${unknown}'`)

    return parsed
  }

  override async _find(params?: any): Promise<any> {
    const { $sort, ...query } = params?.query ?? {}
    const shuffled = { $sort: { ...$sort, shuffle: 1 } }
    const found: any = await super._find({ ...params, query: { ...query, ...shuffled } })

    return Array.isArray(found) ? found.map(toRow(query)) : { ...found, data: found.data.map(toRow(query)) }
  }

  override async _get(id: any, params?: any): Promise<any> {
    return toRow(params?.query)(await super._get(id, params))
  }

  override async _create(data: any, params?: any): Promise<any> {
    const toColumns = (item: any) => ({ ...toEmptyRow(), ...this.toColumns(item), shuffle: randomUUID() })
    const created: any = await super._create(
      Array.isArray(data) ? data.map(toColumns) : toColumns(data),
      params
    )

    return toResult(created, params)
  }

  override async _update(id: any, data: any, params?: any): Promise<any> {
    const row = { ...toEmptyRow(), ...this.toColumns(data), shuffle: randomUUID() }

    return toRow(params?.query)(await super._update(id, row, params))
  }

  override async _patch(id: any, data: any, params?: any): Promise<any> {
    return toResult(await super._patch(id, this.toColumns(data), params), params)
  }

  override async _remove(id: any, params?: any): Promise<any> {
    return toResult(await super._remove(id, params), params)
  }

  /** Refuses what does not fit the columns, as a database does. */
  private toColumns({ [this.id]: id, ...data }: any): object {
    for (const [name, value] of Object.entries(data)) {
      const kind = (TEST_FIELDS as any)[name]

      if (kind !== 'string' && kind !== 'number') throw new BadRequest(`There is no column '${name}'`)
      if (value !== null && typeof value !== kind)
        throw new BadRequest(`The column '${name}' holds no ${typeof value}`)
    }

    if (id !== undefined && id !== null && !Number.isSafeInteger(id))
      throw new BadRequest('An id is a number')

    return id === undefined ? data : { ...data, [this.id]: id }
  }
}

function toEmptyRow(): object {
  return { name: null, age: null, team: null, position: null }
}

function toPaths(condition: Condition): string[] {
  switch (condition.kind) {
    case 'not':
      return toPaths(condition.condition)
    case 'and':
    case 'or':
      return condition.conditions.flatMap(toPaths)
    default:
      return [condition.path.join('.')]
  }
}

function toRow(query: any): (record: any) => any {
  return ({ shuffle, ...record }) => {
    for (const name of [query?.$select ?? []].flat()) record[name] ??= null

    return record
  }
}

function toResult(result: any, params: any): any {
  return Array.isArray(result) ? result.map(toRow(params?.query)) : toRow(params?.query)(result)
}

/** By code points, as UTF-8 is ordered. */
function toSorter(sort: object): (a: any, b: any) => number {
  const toBytes = (value: any) => (typeof value === 'string' ? Buffer.from(value) : value)
  const compare = (a: any, b: any) => {
    if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1

    return Buffer.isBuffer(a) ? Buffer.compare(a, b) : a - b
  }

  return (a, b) => {
    for (const [name, direction] of Object.entries(sort)) {
      const order = compare(toBytes(a[name] ?? null), toBytes(b[name] ?? null))

      if (order !== 0) return order * Number(direction)
    }

    return 0
  }
}

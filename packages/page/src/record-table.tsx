import { useId } from 'preact/hooks'
import type { PageService } from '../../../src/openapi/page-data.ts'
import { isObject } from './request.ts'
import { toLine, toShortDate, toValueKind } from './values.ts'

/** A field, and whether from the largest to the smallest. */
export interface Sort {
  readonly field: string
  readonly isDown: boolean
}

/** How many columns a table without declared fields gets. */
const MAX_COLUMNS = 12

interface RecordTableProps {
  readonly service: PageService
  readonly records: readonly unknown[]
  /** The relations that are included. */
  readonly included: readonly string[]
  readonly sort: Sort | undefined
  /** The ids of records that have just changed. */
  readonly fresh: ReadonlySet<string>
  /** The id of the record that was chosen. */
  readonly chosen: string | undefined
  readonly onSort: (field: string) => void
  readonly onOpen: (id: string, record: unknown) => void
}

/** Records, one in each row. */
export function RecordTable(props: RecordTableProps) {
  const { service, records, included, sort, onSort } = props
  const id = useId()
  const columns = toColumns(service, records, included)

  if (columns.length === 0) return null

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keyboard
    <section class="scroll" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((name, index) => (
              <th key={name} scope="col" aria-sort={toAriaSort(sort, name)}>
                <span id={`${id}-${index}`}>{name}</span>
                {(!service.sort || service.sort.includes(name)) && (
                  // Over the whole head of the column. Fields may be called like the buttons of the page.
                  <button
                    type="button"
                    aria-label="Sort"
                    aria-describedby={`${id}-${index}`}
                    onClick={() => onSort(name)}
                  />
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {records.map((record, index) => (
            <Row key={toRecordId(record, service) || index} {...props} columns={columns} record={record} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

interface RowProps extends RecordTableProps {
  readonly columns: readonly string[]
  readonly record: unknown
}

function Row({ columns, record, service, fresh, chosen, onOpen }: RowProps) {
  const id = toRecordId(record, service)

  return (
    <tr
      class={`${fresh.has(id) ? 'fresh' : ''} ${id !== '' && id === chosen ? 'chosen' : ''}`}
      onClick={() => id !== '' && onOpen(id, record)}
    >
      {columns.map((name) => (
        <td key={name} class={toValueKind(getField(record, name))}>
          {name === service.id && id !== '' ? (
            <button type="button" class="link" aria-label={`Open ${id}`}>
              {id}
            </button>
          ) : (
            <Value value={getField(record, name)} />
          )}
        </td>
      ))}
    </tr>
  )
}

function Value({ value }: { value: unknown }) {
  switch (toValueKind(value)) {
    case 'none':
      return <span class="none">{value === null ? 'null' : ''}</span>
    case 'date':
      return <time title={String(value)}>{toShortDate(String(value))}</time>
    default: {
      const line = toLine(value)

      return <span title={line.length > 30 ? line : undefined}>{line}</span>
    }
  }
}

function toColumns(
  { columns, id }: PageService,
  records: readonly unknown[],
  included: readonly string[]
): readonly string[] {
  const found = new Set(records.flatMap((record) => (isObject(record) ? Object.keys(record) : [])))
  const names = columns ? [...columns, ...included] : [...found].slice(0, MAX_COLUMNS)

  // The id first, with which a record is opened.
  return names.includes(id) ? [id, ...names.filter((name) => name !== id)] : names
}

/** The id of a record, as paths have it; empty for one without. */
export function toRecordId(record: unknown, { id }: PageService): string {
  const value = getField(record, id)

  return value === undefined || value === null ? '' : String(value)
}

function getField(record: unknown, name: string): unknown {
  return isObject(record) && Object.hasOwn(record, name) ? record[name] : undefined
}

function toAriaSort(sort: Sort | undefined, field: string): 'ascending' | 'descending' | undefined {
  if (sort?.field !== field) return undefined

  return sort.isDown ? 'descending' : 'ascending'
}

import { useState } from 'preact/hooks'
import type { PageService } from '../../../src/openapi/page-data.ts'
import { isObject } from './request.ts'
import { toLine, toShortDate, toText, toValueKind } from './values.ts'

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
  /** Removes a record; missing where clients cannot. */
  readonly onRemove: ((id: string) => void) | undefined
  /** Where the records are that a record is the parent of. */
  readonly toNested: ToNested
}

/** The links to the services that are below a record, by their names. */
export type ToNested = (id: string) => readonly (readonly [name: string, href: string])[]

/** Records, one in each row. */
export function RecordTable(props: RecordTableProps) {
  const { service, records, included, sort, onSort, onRemove, toNested } = props
  const hasActions = onRemove !== undefined || toNested('').length > 0
  const columns = toColumns(service, records, included)

  if (columns.length === 0) return null

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keyboard
    <section class="scroll" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col" aria-sort={toAriaSort(sort, name)}>
                <span>{name}</span>
                {(!service.sort || service.sort.includes(name)) && (
                  // Over the whole head of the column. Fields may be called like the buttons of the page.
                  <button type="button" aria-label="Sort" title={name} onClick={() => onSort(name)} />
                )}
              </th>
            ))}
            {hasActions && (
              <th scope="col" class="row-actions">
                <span class="unseen">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {records.map((record, index) => (
            <Row key={toRecordId(record, service) || index} {...{ ...props, columns, record, hasActions }} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

interface RowProps extends RecordTableProps {
  readonly columns: readonly string[]
  readonly record: unknown
  readonly hasActions: boolean
}

function Row({ columns, record, hasActions, service, fresh, chosen, onOpen, onRemove, toNested }: RowProps) {
  const id = toRecordId(record, service)

  return (
    <tr
      class={`${fresh.has(id) ? 'fresh' : ''} ${id !== '' && id === chosen ? 'chosen' : ''}`}
      onClick={({ target }) =>
        id !== '' && !(target as Element).closest('.row-actions') && onOpen(id, record)
      }
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
      {hasActions && (
        <td class="row-actions">
          {id !== '' && (
            <div>
              <NestedLinks links={toNested(id)} />
              {onRemove && <RemoveButton label={`Remove ${id}`} text="✕" onRemove={() => onRemove(id)} />}
            </div>
          )}
        </td>
      )}
    </tr>
  )
}

/** Links to the services that are below a record. */
export function NestedLinks({ links }: { links: ReturnType<ToNested> }) {
  return (
    <>
      {links.map(([name, href]) => (
        <a key={href} href={href}>
          {name}
        </a>
      ))}
    </>
  )
}

interface RemoveButtonProps {
  readonly label: string
  readonly text?: string
  readonly onRemove: () => void
}

/** A button that asks once more before it removes. */
export function RemoveButton({ label, text = label, onRemove }: RemoveButtonProps) {
  const [isSure, setSure] = useState(false)

  return (
    <button
      type="button"
      class={isSure ? 'danger sure' : 'danger'}
      aria-label={isSure ? undefined : label}
      title={label}
      onClick={() => {
        setSure(!isSure)
        if (isSure) onRemove()
      }}
      onBlur={() => setSure(false)}
    >
      {isSure ? 'Really remove' : text}
    </button>
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

  return value === undefined || value === null ? '' : toText(value)
}

function getField(record: unknown, name: string): unknown {
  return isObject(record) && Object.hasOwn(record, name) ? record[name] : undefined
}

function toAriaSort(sort: Sort | undefined, field: string): 'ascending' | 'descending' | undefined {
  if (sort?.field !== field) return undefined

  return sort.isDown ? 'descending' : 'ascending'
}

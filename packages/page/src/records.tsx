import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { PageMethod, PageService } from '../../../src/openapi/page-data.ts'
import { type Filter, Filters, toFilterQuery } from './filters.tsx'
import { isObject, isOk, type MakeCall, type Outcome, toMessage } from './request.ts'
import type { Page } from './state.ts'
import { toKind, toLine, toShortDate } from './values.ts'
import { needsLogin } from './who.tsx'

interface RecordsProps {
  readonly page: Page
  readonly service: PageService
  /** Grows with each call that may have changed the records. */
  readonly changes: number
  /** The id of the record that was chosen. */
  readonly chosen: string | undefined
  readonly onCall: MakeCall
  readonly onOpen: (id: string, record?: unknown) => void
}

/** A field, and whether from the largest to the smallest. */
interface Sort {
  readonly field: string
  readonly isDown: boolean
}

const SIZES = [10, 25, 50, 100]

/** How long, in milliseconds, further events are waited for before the records are read again. */
const PAUSE = 150

/** How many columns a table without declared fields gets. */
const MAX_COLUMNS = 12

/** The records of a service, page by page. */
export function Records({ page, service, changes, chosen, onCall, onOpen }: RecordsProps) {
  const find = service.methods.find(({ name }) => name === 'find')
  const get = service.methods.find(({ name }) => name === 'get')
  const [filters, setFilters] = useState<readonly Filter[]>([])
  const [sort, setSort] = useState(() => toFirstSort(service))
  const [limit, setLimit] = useState(10)
  const [skip, setSkip] = useState(0)
  const [included, setIncluded] = useState<readonly string[]>([])
  const [outcome, setOutcome] = useState<Outcome>()
  const [fresh, setFresh] = useState<ReadonlySet<string>>(new Set())
  const turn = useRef(0)

  const query = {
    ...toFilterQuery(filters, service),
    ...(sort && { $sort: Object.fromEntries([[sort.field, sort.isDown ? -1 : 1]]) }),
    ...(included.length > 0 && { $include: included }),
    $limit: limit,
    ...(skip > 0 && { $skip: skip })
  }

  async function load(method: PageMethod, isSilent: boolean): Promise<void> {
    const mine = ++turn.current
    const loaded = await onCall(method, { query }, isSilent)

    // A later request may have been faster.
    if (mine === turn.current) setOutcome(loaded)
  }

  // Effects that outlive a render see the query of the latest one.
  const reload = useRef(load)

  reload.current = load

  // A call that is refused for sure is not made.
  const isClosed = find !== undefined && needsLogin(find.who) && !page.identity.isLoggedIn

  useEffect(() => {
    if (find && !isClosed) void load(find, false)
  }, [JSON.stringify(query)])

  useEffect(() => {
    if (find && !isClosed && changes > 0) void load(find, true)
  }, [changes])

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = page.identity.onEvent((event) => {
      if (event.service !== service.path || !find) return

      const id = toId(event.data, service)

      setFresh((known) => new Set([...known, id].slice(-100)))
      clearTimeout(timer)
      timer = setTimeout(() => void reload.current(find, true), PAUSE)
    })

    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [])

  if (!find) {
    return (
      <section class="card records" aria-label="Records">
        <p class="hint nothing">Clients cannot list these records: the service has no `find` for them.</p>
        {get && <Open service={service} onOpen={onOpen} />}
      </section>
    )
  }

  if (isClosed) {
    return (
      <section class="card records" aria-label="Records">
        <p class="nothing">
          <strong>These records are not for everyone</strong>
          <span class="hint">
            `find` is for <code>{find.who}</code>. Log in as one of the two identities to see them.
          </span>
        </p>
      </section>
    )
  }

  const { records, total } = toPage(outcome)
  const shown = records.slice(0, limit)
  const columns = toColumns(service, shown, included)

  return (
    <section class="card records" aria-label="Records">
      <div class="toolbar">
        <Filters
          service={service}
          filters={filters}
          onChange={(changed) => {
            setFilters(changed)
            setSkip(0)
          }}
        />
        {get && <Open service={service} onOpen={onOpen} />}
        {service.relations.length > 0 && (
          <fieldset class="include">
            <legend>Include</legend>
            {service.relations.map((name) => (
              <label key={name}>
                <input
                  type="checkbox"
                  checked={included.includes(name)}
                  onChange={({ currentTarget: { checked } }) =>
                    setIncluded(checked ? [...included, name] : included.filter((one) => one !== name))
                  }
                />
                {name}
              </label>
            ))}
          </fieldset>
        )}
      </div>
      {outcome && !isOk(outcome) ? (
        <p class="refused" role="status">
          <span class="status bad">{outcome.status || 'no response'}</span> {toMessage(outcome)}
        </p>
      ) : (
        <Table
          columns={columns}
          records={shown}
          service={service}
          sort={sort}
          fresh={fresh}
          chosen={chosen}
          onSort={(field) => {
            setSkip(0)
            setSort(toNextSort(sort, field))
          }}
          onOpen={onOpen}
        />
      )}
      {outcome && isOk(outcome) && shown.length === 0 && (
        <p class="nothing">
          <strong>{filters.length > 0 ? 'No record is found' : 'No records yet'}</strong>
          <span class="hint">
            {filters.length > 0 ? 'Remove a filter to see more.' : 'The first one appears here.'}
          </span>
        </p>
      )}
      <footer class="pager">
        <span role="status">{toCount(skip, shown.length, records.length, total)}</span>
        <label>
          Rows
          <select
            value={limit}
            onChange={({ currentTarget }) => {
              setLimit(Number(currentTarget.value))
              setSkip(0)
            }}
          >
            {SIZES.map((size) => (
              <option key={size} value={size}>
                {size}
              </option>
            ))}
          </select>
        </label>
        <button type="button" disabled={skip === 0} onClick={() => setSkip(Math.max(skip - limit, 0))}>
          Previous
        </button>
        <button
          type="button"
          disabled={total === undefined ? records.length < limit : skip + shown.length >= total}
          onClick={() => setSkip(skip + shown.length)}
        >
          Next
        </button>
        <button type="button" class="quiet" onClick={() => void load(find, false)}>
          Refresh
        </button>
      </footer>
    </section>
  )
}

interface OpenProps {
  readonly service: PageService
  readonly onOpen: (id: string) => void
}

function Open({ service, onOpen }: OpenProps) {
  const [id, setId] = useState('')

  return (
    <form
      class="open"
      aria-label="Open a record"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (id.trim() !== '') onOpen(id.trim())
      }}
    >
      <input
        aria-label={`Open by ${service.id}`}
        placeholder={service.id}
        value={id}
        autoComplete="off"
        onInput={({ currentTarget }) => setId(currentTarget.value)}
      />
      <button type="submit">Open</button>
    </form>
  )
}

interface TableProps {
  readonly columns: readonly string[]
  readonly records: readonly unknown[]
  readonly service: PageService
  readonly sort: Sort | undefined
  readonly fresh: ReadonlySet<string>
  readonly chosen: string | undefined
  readonly onSort: (field: string) => void
  readonly onOpen: (id: string, record: unknown) => void
}

function Table({ columns, records, service, sort, fresh, chosen, onSort, onOpen }: TableProps) {
  const id = useId()

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
          {records.map((record, index) => {
            const key = toId(record, service)

            return (
              <tr
                key={key || index}
                class={`${fresh.has(key) ? 'fresh' : ''} ${key !== '' && key === chosen ? 'chosen' : ''}`}
                onClick={() => key !== '' && onOpen(key, record)}
              >
                {columns.map((name) => (
                  <td key={name} class={toKind(get(record, name))}>
                    {name === service.id && key !== '' ? (
                      <button type="button" class="link" aria-label={`Open ${key}`}>
                        {key}
                      </button>
                    ) : (
                      <Value value={get(record, name)} />
                    )}
                  </td>
                ))}
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

function Value({ value }: { value: unknown }) {
  switch (toKind(value)) {
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

/** A page, or what a service without pagination returns; a single object is a list of one. */
function toPage(outcome: Outcome | undefined): { records: readonly unknown[]; total?: number } {
  if (!outcome || !isOk(outcome)) return { records: [] }

  const { body } = outcome

  if (Array.isArray(body)) return { records: body }
  if (!isObject(body)) return { records: [] }

  const { data, total } = body

  if (!Array.isArray(data)) return { records: [body], total: 1 }

  return { records: data, ...(typeof total === 'number' && { total }) }
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

function toId(record: unknown, { id }: PageService): string {
  const value = get(record, id)

  return value === undefined || value === null ? '' : String(value)
}

function get(record: unknown, name: string): unknown {
  return isObject(record) && Object.hasOwn(record, name) ? record[name] : undefined
}

function toCount(skip: number, shown: number, got: number, total: number | undefined): string {
  const format = (count: number) => count.toLocaleString('en')

  if (shown === 0) return total ? `0 of ${format(total)}` : '0 records'

  const range = `${format(skip + 1)}–${format(skip + shown)}`

  if (total !== undefined) return `${range} of ${format(total)}`

  return got > shown ? `${range} of ${format(got)}` : range
}

/** The newest first, as far as ids tell, so that what is created is seen. */
function toFirstSort({ sort, id }: PageService): Sort | undefined {
  return sort?.includes(id) ? { field: id, isDown: true } : undefined
}

function toNextSort(sort: Sort | undefined, field: string): Sort | undefined {
  if (sort?.field !== field) return { field, isDown: false }

  return sort.isDown ? undefined : { field, isDown: true }
}

function toAriaSort(sort: Sort | undefined, field: string): 'ascending' | 'descending' | undefined {
  if (sort?.field !== field) return undefined

  return sort.isDown ? 'descending' : 'ascending'
}

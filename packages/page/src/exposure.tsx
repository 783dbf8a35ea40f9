import { useLayoutEffect, useState } from 'preact/hooks'
import type { ExposureRow } from '../../../src/manifest/exposure.ts'
import { Caller } from './caller.tsx'
import type { Identity } from './identity.ts'
import { FOLDER, isOk, type RequestOutcome, toMessage } from './request.ts'
import { useStore } from './store.ts'

/** How many rows are shown at first. All rows of a large application take browsers a second. */
const FIRST_ROWS = 100

/** Who may call what: the rows of `exposure(app)`. */
export function ExposureTable({ identity }: { identity: Identity }) {
  const [outcome, setOutcome] = useState<RequestOutcome>()

  useStore(identity)

  // Users may see different tables. Runs before the next frame, which would show the former table.
  useLayoutEffect(() => {
    let isOver = false

    setOutcome(undefined)
    void identity.send({ verb: 'GET', path: `${FOLDER}exposure.json` }).then((found) => {
      if (!isOver) setOutcome(found)
    })

    return () => {
      isOver = true
    }
  }, [identity, identity.session])

  if (!outcome) return null
  if (!isOk(outcome)) return <p class="alone">{toMessage(outcome)}</p>

  return <Rows rows={outcome.body as readonly ExposureRow[]} />
}

const COLUMNS = [
  ...['Service', 'Method', 'Who', 'Data', 'Query', 'Result'],
  ...['Hidden', 'Several', 'Page', 'Events', 'Transports']
]

function Rows({ rows }: { rows: readonly ExposureRow[] }) {
  const [search, setSearch] = useState('')
  const [isWhole, setWhole] = useState(false)
  const found = findRows(rows, search)
  const shown = isWhole ? found : found.slice(0, FIRST_ROWS)
  const open = rows.filter(({ who }) => who === 'anyone').length

  return (
    <section class="access">
      <header class="title">
        <h1>Access</h1>
        <p>
          Who may call what: {rows.length} methods, {open} of them open to anyone.
        </p>
        <input
          type="search"
          aria-label="Filter the table"
          placeholder="Filter by service, method or who"
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keyboard */}
      <section class="card scroll" aria-label="Exposure" tabIndex={0}>
        <table class="exposure">
          <thead>
            <tr>
              {COLUMNS.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, index) => (
              <Row
                key={`${row.service} ${row.method}`}
                row={row}
                isFirst={row.service !== shown[index - 1]?.service}
              />
            ))}
          </tbody>
        </table>
        {found.length === 0 && <p class="hint nothing">No row.</p>}
        {shown.length < found.length && (
          <p class="nothing">
            <button type="button" onClick={() => setWhole(true)}>
              Show {(found.length - shown.length).toLocaleString('en')} more
            </button>
          </p>
        )}
      </section>
    </section>
  )
}

function findRows(rows: readonly ExposureRow[], search: string): readonly ExposureRow[] {
  const wanted = search.trim().toLowerCase()

  return rows.filter(({ service, method, who }) =>
    [service, method, who].some((text) => text.toLowerCase().includes(wanted))
  )
}

interface RowProps {
  readonly row: ExposureRow
  /** Whether it is the first of its service. */
  readonly isFirst: boolean
}

function Row({ row, isFirst }: RowProps) {
  return (
    <tr class={isFirst ? undefined : 'same'}>
      <th scope="row">{row.service}</th>
      <td class="mono">{row.method}</td>
      <td>
        <Caller caller={row.who} />
      </td>
      <td>{row.data === null ? <None /> : row.data ? 'checked' : <em class="lax">any</em>}</td>
      <td>{row.query === null ? <em class="lax">any</em> : <Names names={row.query} />}</td>
      <td>{row.result === null ? <em class="lax">all</em> : <Names names={row.result} />}</td>
      <td>{row.hidden.length > 0 ? <Names names={row.hidden} /> : <None />}</td>
      <td>{row.several ? 'yes' : <None />}</td>
      <td class="number">{row.cap ?? <None />}</td>
      <td>{row.events ?? <None />}</td>
      <td>{row.transports.join(', ')}</td>
    </tr>
  )
}

function Names({ names }: { names: readonly string[] }) {
  return <span class="mono names">{names.length > 0 ? names.join(' ') : '{}'}</span>
}

function None() {
  return (
    <span class="none">
      <span aria-hidden="true">–</span>
      <span class="unseen">none</span>
    </span>
  )
}

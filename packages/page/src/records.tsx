import { useEffect, useRef, useState } from 'preact/hooks'
import type { PageMethod, PageService } from '../../../src/openapi/page-data.ts'
import { needsLogin } from './caller.tsx'
import { type Filter, Filters, toFilterQuery } from './filters.tsx'
import type { Identity } from './identity.ts'
import { Pager } from './pager.tsx'
import { RecordTable, type Sort, type ToNested, toRecordId } from './record-table.tsx'
import { isObject, isOk, type MakeCall, type Query, type RequestOutcome, toMessage } from './request.ts'
import type { Page } from './state.ts'

interface RecordsProps {
  readonly page: Page
  readonly service: PageService
  /** Grows with each call that may have changed the records. */
  readonly changes: number
  /** The id of the record that was chosen. */
  readonly chosen: string | undefined
  readonly onCall: MakeCall
  readonly onOpen: (id: string, record?: unknown) => void
  readonly onRemove: ((id: string) => void) | undefined
  readonly toNested: ToNested
}

/** Which records are shown, and in which order. */
interface View {
  readonly filters: readonly Filter[]
  readonly sort: Sort | undefined
  readonly limit: number
  readonly skip: number
  /** Where the page begins or ends, for a service whose pages have cursors. */
  readonly place?: Query | undefined
  /** The relations that are included. */
  readonly included: readonly string[]
}

/** How long, in milliseconds, further events are waited for before the records are read again. */
const PAUSE = 150

/** The records of a service, page by page. */
export function Records(props: RecordsProps) {
  const { page, service, chosen, onOpen, onRemove, toNested } = props
  const { isSingle } = service
  const find = service.methods.find(({ name }) => name === (isSingle ? 'get' : 'find'))
  const get = !isSingle && service.methods.find(({ name }) => name === 'get')
  // A call that is refused for sure is not made.
  const isClosed = find !== undefined && needsLogin(find.who) && !page.identity.isLoggedIn
  const [view, setView] = useState(() => toFirstView(service))
  const { outcome, isPresent, load } = useFound(props, isClosed ? undefined : find, toQuery(view, service))
  const fresh = useFresh(page.identity, service, load)
  const change = (changed: Partial<View>) => setView({ ...view, ...changed })
  const openForm = get && <Open service={service} onOpen={onOpen} />

  if (!find) return <UnlistedRecords>{openForm}</UnlistedRecords>
  if (isClosed) return <ClosedRecords caller={find.who} page={page} />

  const { filters, sort, limit, skip, included } = view
  const { records, total, hasNext, size = limit } = toPage(outcome, service)
  const shown = records.slice(0, limit)

  return (
    <section class="card records" aria-label="Records">
      <div class="toolbar">
        {!isSingle && (
          <Filters
            service={service}
            filters={filters}
            onChange={(changed) => change({ filters: changed, skip: 0 })}
          />
        )}
        {openForm}
        <Include
          relations={service.relations}
          included={included}
          onChange={(changed) => change({ included: changed })}
        />
      </div>
      {outcome && !isOk(outcome) ? (
        <Refused outcome={outcome} />
      ) : (
        <RecordTable
          {...{ service, included, sort, fresh, chosen, onOpen, onRemove, toNested }}
          records={shown}
          onSort={(field) => change({ sort: toNextSort(sort, field), skip: 0 })}
        />
      )}
      {outcome && isOk(outcome) && shown.length === 0 && <NoRecords isFiltered={filters.length > 0} />}
      <Pager
        {...{ skip, limit, size, total, hasNext, shown: shown.length, found: records.length }}
        onChange={(to) => {
          // A second fast click would go on from the page before.
          if (isPresent || !to.skip) change({ ...to, place: toPlace(outcome, to.skip > skip) })
        }}
        onRefresh={() => void load(false)}
      />
    </section>
  )
}

/**
 * What `find` returned, and whether that is for the present query. It is called again when the query changes, and after
 * calls that may have changed records.
 */
function useFound({ page, changes, onCall }: RecordsProps, find: PageMethod | undefined, query: Query) {
  const [[outcome, answered], setFound] = useState<readonly [RequestOutcome?, string?]>([])
  const turn = useRef(0)
  const key = JSON.stringify(query)

  async function load(isSilent: boolean): Promise<void> {
    if (!find) return

    const mine = ++turn.current
    const loaded = await onCall(find, { query }, isSilent)

    // A later request may have been faster.
    if (mine === turn.current) setFound([loaded, key])
  }

  useEffect(() => void load(false), [key])

  useEffect(() => {
    if (changes > 0) void load(true)
  }, [changes])

  const { live } = page.identity

  // The server is back.
  useEffect(() => {
    if (live === 'live' && outcome?.status === 0) void load(true)
  }, [live])

  return { outcome, isPresent: answered === key, load }
}

/** The ids of the records of the latest events. The records are loaded again after events. */
function useFresh(
  identity: Identity,
  service: PageService,
  load: (isSilent: boolean) => Promise<void>
): ReadonlySet<string> {
  const [fresh, setFresh] = useState<ReadonlySet<string>>(new Set())
  // The effect outlives a render, and needs the query of the latest one.
  const reload = useRef(load)

  reload.current = load

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    /** Whether an event came since the records were last asked for. */
    let isDue = false

    // Events that do not end must not put it off.
    async function refresh(): Promise<void> {
      isDue = false
      await reload.current(true)
      timer = isDue ? setTimeout(refresh, PAUSE) : undefined
    }

    const stop = identity.subscribe((event) => {
      if (event?.service !== service.path) return

      const id = toRecordId(event.data, service)

      setFresh((known) => new Set([...known, id].slice(-100)))
      isDue = true
      timer ??= setTimeout(refresh, PAUSE)
    })

    return () => {
      isDue = false
      clearTimeout(timer)
      stop()
    }
  }, [])

  return fresh
}

function UnlistedRecords({ children }: { children: preact.ComponentChildren }) {
  return (
    <section class="card records" aria-label="Records">
      <p class="hint nothing">
        <span>
          Clients cannot list these records: there is no <code>find</code> for them.
        </span>
      </p>
      {children}
    </section>
  )
}

function ClosedRecords({ caller, page }: { caller: string; page: Page }) {
  return (
    <section class="card records" aria-label="Records">
      <p class="nothing">
        <strong>These records are not for everyone</strong>
        <span class="hint">
          <code>find</code> is for <code>{caller}</code>.
        </span>
        {page.data.login && (
          <button type="button" class="primary" onClick={page.onLogin}>
            Log in to see them
          </button>
        )}
      </p>
    </section>
  )
}

function Refused({ outcome }: { outcome: RequestOutcome }) {
  return (
    <p class="refused" role="status">
      <span class="status bad">{outcome.status || 'no response'}</span> {toMessage(outcome)}
    </p>
  )
}

function NoRecords({ isFiltered }: { isFiltered: boolean }) {
  return (
    <p class="nothing">
      <strong>{isFiltered ? 'No record is found' : 'No records yet'}</strong>
      <span class="hint">{isFiltered ? 'Remove a filter to see more.' : 'The first one appears here.'}</span>
    </p>
  )
}

interface IncludeProps {
  readonly relations: readonly string[]
  readonly included: readonly string[]
  readonly onChange: (included: readonly string[]) => void
}

function Include({ relations, included, onChange }: IncludeProps) {
  if (relations.length === 0) return null

  return (
    <fieldset class="include">
      <legend>Include</legend>
      {relations.map((name) => (
        <label key={name} class="option">
          <input
            type="checkbox"
            checked={included.includes(name)}
            onChange={({ currentTarget: { checked } }) =>
              onChange(checked ? [...included, name] : included.filter((one) => one !== name))
            }
          />
          {name}
        </label>
      ))}
    </fieldset>
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
        placeholder={`go to ${service.id}`}
        value={id}
        autoComplete="off"
        onInput={({ currentTarget }) => setId(currentTarget.value)}
      />
      <button type="submit">Open</button>
    </form>
  )
}

/** The newest first, as far as ids tell, so that what is created is seen. */
function toFirstView({ sort, id }: PageService): View {
  const newestFirst = { field: id, isDown: true }

  return {
    filters: [],
    sort: sort?.includes(id) ? newestFirst : undefined,
    limit: 10,
    skip: 0,
    included: []
  }
}

function toQuery({ filters, sort, limit, skip, place, included }: View, service: PageService): Query {
  return {
    ...toFilterQuery(filters),
    ...(sort && { $sort: Object.fromEntries([[sort.field, sort.isDown ? -1 : 1]]) }),
    ...(included.length > 0 && { $include: included }),
    ...(service.hasLimit && { $limit: limit }),
    ...(skip > 0 && (place ?? { $skip: skip }))
  }
}

/** Where the page after a page begins, or the one before it ends, if it has cursors: an empty page has null for them. */
function toPlace(outcome: RequestOutcome | undefined, isNext: boolean): Query | undefined {
  const body = outcome?.body as { endCursor?: string; startCursor?: string } | undefined

  return body?.endCursor ? (isNext ? { $after: body.endCursor } : { $before: body.startCursor }) : undefined
}

/** A page, or what a service without pagination returns; a single object is a list of one. */
function toPage(
  outcome: RequestOutcome | undefined,
  service: PageService
): {
  readonly records: readonly unknown[]
  readonly total?: number
  readonly hasNext?: unknown
  readonly size?: number
} {
  if (!outcome || !isOk(outcome)) return { records: [] }

  const { body } = outcome

  if (Array.isArray(body)) return { records: body }
  if (!isObject(body)) return { records: [] }

  const { data, total, limit, hasNextPage } = body

  if (service.isSingle || !Array.isArray(data)) return { records: [body], total: 1 }

  return {
    records: data,
    hasNext: hasNextPage,
    ...(typeof total === 'number' && { total }),
    ...(typeof limit === 'number' && { size: limit })
  }
}

function toNextSort(sort: Sort | undefined, field: string): Sort | undefined {
  if (sort?.field !== field) return { field, isDown: false }

  return sort.isDown ? undefined : { field, isDown: true }
}

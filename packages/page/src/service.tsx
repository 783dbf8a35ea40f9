import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { PageMethod, PageService } from '../../../src/openapi/page-data.ts'
import { CallView, type MadeCall } from './call.tsx'
import { Caller } from './caller.tsx'
import { unwrap, wrap } from './envelope.ts'
import { Events } from './events.tsx'
import type { Identity } from './identity.ts'
import { type Chosen, EDIT, listTabs, Methods } from './methods.tsx'
import { PlaceForm } from './place.tsx'
import { type ToNested, toRecordId } from './record-table.tsx'
import { Records } from './records.tsx'
import {
  isObject,
  isOk,
  isStandard,
  listPlaceholders,
  type MakeCall,
  type PageCall,
  type Place,
  type Request,
  type RequestOutcome,
  toHash,
  toRequest
} from './request.ts'
import type { Page } from './state.ts'
import { useStore } from './store.ts'

interface ServiceProps {
  readonly page: Page
  readonly service: PageService
  /** The values of the placeholders in its path, as far as they are known. */
  readonly place: Place
}

/** One service. What its path lacks is asked for first. */
export function ServiceView({ page, service, place }: ServiceProps) {
  const placeholders = listPlaceholders(service.path)
  const isComplete = placeholders.every((name) => place.get(name))

  return (
    <article class="service">
      <header class="title">
        <h1>{service.path}</h1>
        <ul class="methods" aria-label="Who may call its methods">
          {service.methods.map(({ name, who }) => (
            <li key={name}>
              <span class={`verb ${isStandard(name) ? name : 'custom'}`}>{name}</span> <Caller caller={who} />
            </li>
          ))}
        </ul>
      </header>
      {placeholders.length > 0 && (
        <PlaceForm
          names={placeholders}
          parents={service.parents}
          place={place}
          onChoose={(chosen) => {
            location.hash = toHash(service.path, chosen)
          }}
        />
      )}
      {isComplete && <Calls page={page} service={service} place={place} />}
    </article>
  )
}

/** The records of a service, and a form for each method. */
function Calls({ page, service, place }: ServiceProps) {
  const { identity } = page

  useStore(identity)

  const caller = `${identity.number} ${identity.session}`
  const { call, made, fault, changes } = useCalls(identity, service, place, caller)
  const { tab, chosen, onTab, onOpen, onChange, onRemove } = useChosen(service, caller, call)
  const toNested = (id: string) => listNested(page, service, place, id)

  return (
    <div class="work">
      <div class="main">
        <Records
          key={caller}
          {...{ page, service, changes, onOpen, onRemove, toNested }}
          chosen={chosen?.id}
          onCall={call}
        />
        <Methods {...{ caller, service, tab, chosen, onTab, onChange, onRemove, toNested }} onCall={call} />
      </div>
      <div class="side">
        {fault !== '' && (
          <p class="card fault" role="alert">
            {fault}
          </p>
        )}
        {made && <CallView made={made} />}
        {page.data.events !== null &&
          page.identities.map((one) => <Events key={one.number} identity={one} />)}
      </div>
    </div>
  )
}

/** The record that was chosen and the tab that is shown, and the calls that change them. */
function useChosen(service: PageService, caller: string, call: MakeCall) {
  const tabs = listTabs(service)
  const [tab, setTab] = useState(tabs[0] as string)
  const [chosen, setChosen] = useState<Chosen>()
  const turn = useRef(0)

  // A record that another user saw is not kept.
  useLayoutEffect(() => setChosen(undefined), [caller])

  async function open(id: string, record: unknown): Promise<void> {
    const get = service.methods.find(({ name }) => name === 'get')
    const mine = ++turn.current
    const outcome = get && (await call(get, { id }))
    const found = outcome && isOk(outcome) ? outcome.body : record

    // A later choice may have been faster.
    if (found === undefined || outcome === GONE || mine !== turn.current) return

    setChosen({ id, record: found })
    if (tabs.includes(EDIT)) setTab(EDIT)
  }

  async function change(method: PageMethod, id: string, data: unknown): Promise<RequestOutcome> {
    const outcome = await call(method, { id, data: wrap(service, method, data) })

    // The next change is compared with what the record is now.
    if (isOk(outcome)) {
      setChosen((known) => (known?.id === id ? toChanged(known, data, outcome, service, method) : known))
    }

    return outcome
  }

  const remove = service.methods.find(({ name }) => name === 'remove')
  const onRemove =
    remove &&
    (async (id: string) => {
      // Another may have been chosen meanwhile.
      if (isOk(await call(remove, { id }))) setChosen((known) => (known?.id === id ? undefined : known))
    })

  return { tab, chosen, onTab: setTab, onOpen: open, onChange: change, onRemove }
}

/** What a record is after a change, which may give it another id: what the method returned, unless that is something else. */
function toChanged(
  { id, record }: Chosen,
  data: unknown,
  { body }: RequestOutcome,
  service: PageService,
  { name }: PageMethod
): Chosen {
  const former = toRecordId(record, service)
  const now = toRecordId(body, service)

  // The id in the path may be another than that in the record, such as 'me'.
  if (isObject(body) && now === former) return { id, record: body }
  if (isObject(body) && now && now === toRecordId(data, service)) return { id: now, record: body }

  const before = isObject(record) ? record : {}
  // An update removes what it does not send.
  const kept = name === 'update' ? { [service.id]: before[service.id] } : before

  return { id, record: { ...kept, ...(isObject(data) && data) } }
}

/** The services below a record: those whose path has it as a parent, and no other placeholder that is not known. */
function listNested(
  page: Page,
  { path: parent }: PageService,
  place: Place,
  id: string
): ReturnType<ToNested> {
  return page.data.services.flatMap(({ path, parents }) => {
    const names = listPlaceholders(path)
    const values = new Map(
      names.map((name) => [name, parents[name] === parent ? id : (place.get(name) ?? '')])
    )

    return Object.values(parents).includes(parent) && ![...values.values()].includes('')
      ? [[path.split('/').at(-1) as string, toHash(path, values)]]
      : []
  })
}

/** Replaces the response to a call whose identity has logged in or out since. */
const GONE: RequestOutcome = {
  status: 0,
  milliseconds: 0,
  body: { message: 'The login has changed meanwhile' }
}

/** Makes the calls of a service, and keeps the last one. */
function useCalls(identity: Identity, service: PageService, place: Place, caller: string) {
  const [made, setMade] = useState<MadeCall>()
  const [fault, setFault] = useState('')
  const [changes, setChanges] = useState(0)
  const current = useRef(caller)

  current.current = caller

  // What another user saw is not kept. Before the records of the next one are loaded, which may have a fault to show.
  useLayoutEffect(() => {
    setMade(undefined)
    setFault('')
  }, [caller])

  const call: MakeCall = async (method, rest, isSilent = false) => {
    const whole: PageCall = { service, method, place, ...rest }
    const request = toRequestOrFault(whole)

    if (typeof request === 'string') {
      setFault(request)

      return { status: 0, milliseconds: 0, body: { message: request } }
    }

    const outcome = await identity.send(request)

    if (current.current !== caller) return GONE
    if (!isSilent) {
      setFault('')
      setMade({ call: whole, request, outcome, name: identity.name, token: identity.token })
      if (isOk(outcome) && request.verb !== 'GET') setChanges((count) => count + 1)
    }

    return unwrap(service, method, outcome)
  }

  return { call, made, fault, changes }
}

/** The request for a call, or why there is none. */
function toRequestOrFault(call: PageCall): Request | string {
  try {
    return toRequest(call)
  } catch (error) {
    return (error as Error).message
  }
}

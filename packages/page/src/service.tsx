import { useLayoutEffect, useState } from 'preact/hooks'
import type { PageService } from '../../../src/openapi/page-data.ts'
import { CallView, type MadeCall } from './call.tsx'
import { Caller } from './caller.tsx'
import { unwrap } from './envelope.ts'
import type { Identity } from './identity.ts'
import { type Chosen, EDIT, listTabs, Methods } from './methods.tsx'
import { PlaceForm } from './place.tsx'
import { Records } from './records.tsx'
import {
  isOk,
  isStandard,
  listPlaceholders,
  type MakeCall,
  type PageCall,
  type Place,
  type Request,
  toRequest
} from './request.ts'
import type { Page } from './state.ts'
import { useStore } from './store.ts'

const NO_PLACE: Place = new Map()

/** One service. What its path lacks is asked for first. */
export function ServiceView({ page, service }: { page: Page; service: PageService }) {
  const placeholders = listPlaceholders(service.path)
  const [place, setPlace] = useState(NO_PLACE)

  return (
    <article class="service">
      <header class="title">
        <h1>{service.path}</h1>
        <ul class="methods" aria-label="Who may call its methods">
          {service.methods.map(({ name, who, route }) => (
            <li key={name} title={route ? `${route.verb} /${service.path}/${route.path}` : undefined}>
              <span class={`verb ${isStandard(name) ? name : 'custom'}`}>{name}</span> <Caller caller={who} />
            </li>
          ))}
        </ul>
      </header>
      {placeholders.length > 0 && (
        <PlaceForm names={placeholders} parents={service.parents} onChoose={setPlace} />
      )}
      {place.size === placeholders.length && (
        <Calls key={JSON.stringify([...place])} page={page} service={service} place={place} />
      )}
    </article>
  )
}

interface CallsProps {
  readonly page: Page
  readonly service: PageService
  readonly place: Place
}

/** The records of a service, and a form for each method. */
function Calls({ page, service, place }: CallsProps) {
  const { identity } = page
  const tabs = listTabs(service)
  const [tab, setTab] = useState(tabs[0] ?? '')
  const [chosen, setChosen] = useState<Chosen>()

  useStore(identity)

  const caller = `${identity.number} ${identity.name}`
  const { call, made, fault, changes } = useCalls(identity, service, place, caller)

  // A record that another user saw is not kept.
  useLayoutEffect(() => setChosen(undefined), [caller])

  async function open(id: string, record: unknown): Promise<void> {
    const get = service.methods.find(({ name }) => name === 'get')
    const outcome = get && (await call(get, { id }))
    const found = outcome && isOk(outcome) ? outcome.body : record

    if (found === undefined) return

    setChosen({ id, record: found })
    if (tabs.includes(EDIT)) setTab(EDIT)
  }

  return (
    <>
      <Records
        key={caller}
        page={page}
        service={service}
        changes={changes}
        chosen={chosen?.id}
        onCall={call}
        onOpen={(id, record) => void open(id, record)}
      />
      <div class="work">
        {tabs.length > 0 && (
          <Methods
            service={service}
            tab={tab}
            chosen={chosen}
            onTab={setTab}
            onCall={call}
            onGone={() => setChosen(undefined)}
          />
        )}
        {fault !== '' && (
          <p class="card fault" role="alert">
            {fault}
          </p>
        )}
        {made && <CallView made={made} />}
      </div>
    </>
  )
}

/** Makes the calls of a service, and keeps the last one. */
function useCalls(identity: Identity, service: PageService, place: Place, caller: string) {
  const [made, setMade] = useState<MadeCall>()
  const [fault, setFault] = useState('')
  const [changes, setChanges] = useState(0)

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

    if (!isSilent) {
      setFault('')
      setMade({ call: whole, request, outcome, name: identity.name, hasToken: identity.isLoggedIn })
      if (isOk(outcome) && request.verb !== 'GET') setChanges((count) => count + 1)
    }

    return unwrap(service, outcome)
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

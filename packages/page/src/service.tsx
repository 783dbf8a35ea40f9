import { useLayoutEffect, useState } from 'preact/hooks'
import type { PageMethod, PageService } from '../../../src/openapi/page-data.ts'
import { CallView, type MadeCall } from './call.tsx'
import { Form } from './form.tsx'
import { PlaceForm, Placeholder } from './place.tsx'
import { Records } from './records.tsx'
import {
  type Call,
  isObject,
  isOk,
  isStandard,
  listPlaceholders,
  type MakeCall,
  type Outcome,
  type Place,
  type Query,
  type Request,
  toRequest
} from './request.ts'
import type { Page } from './state.ts'
import { useStore } from './store.ts'
import { Tabs } from './tabs.tsx'
import { Who } from './who.tsx'

/** A record that was chosen. */
interface Chosen {
  readonly id: string
  readonly record: unknown
}

const CREATE = 'create'
const EDIT = 'edit'

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
              <span class={`verb ${isStandard(name) ? name : 'custom'}`}>{name}</span> <Who who={who} />
            </li>
          ))}
        </ul>
      </header>
      {placeholders.length > 0 && <PlaceForm names={placeholders} onChoose={setPlace} />}
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
  const methods = new Map(service.methods.map((method) => [method.name, method]))
  const custom = service.methods.filter(({ name }) => !isStandard(name))
  const [made, setMade] = useState<MadeCall>()
  const [fault, setFault] = useState('')
  const [chosen, setChosen] = useState<Chosen>()
  const [changes, setChanges] = useState(0)
  const change = methods.get('patch') ?? methods.get('update')
  const canOpen = change !== undefined || methods.has('remove')
  const tabs = [
    ...(methods.has('create') ? [CREATE] : []),
    ...(canOpen ? [EDIT] : []),
    ...custom.map(({ name }) => name)
  ]
  const [tab, setTab] = useState(tabs[0] ?? '')

  useStore(identity)

  const who = `${identity.number} ${identity.name}`

  // What another user saw is not kept. Before the records of the next one are loaded, which may have a fault to show.
  useLayoutEffect(() => {
    setMade(undefined)
    setChosen(undefined)
    setFault('')
  }, [who])

  const call: MakeCall = async (method, rest, isSilent = false) => {
    const whole: Call = { service, method, place, ...rest }
    const request = read(whole)

    if (typeof request === 'string') {
      setFault(request)

      return { status: 0, milliseconds: 0, body: { message: request } }
    }

    const outcome = await identity.send(request)

    if (!isSilent) {
      setFault('')
      setMade({ call: whole, request, outcome, name: identity.name, hasToken: identity.isLoggedIn })
      if (request.verb !== 'GET' && isOk(outcome)) setChanges((count) => count + 1)
    }

    return outcome
  }

  async function open(id: string, record: unknown): Promise<void> {
    const get = methods.get('get')
    const outcome = get && (await call(get, { id }))
    const found = outcome && isOk(outcome) ? outcome.body : record

    if (found === undefined) return

    setChosen({ id, record: found })
    if (canOpen) setTab(EDIT)
  }

  return (
    <>
      <Records
        key={who}
        page={page}
        service={service}
        changes={changes}
        chosen={chosen?.id}
        onCall={call}
        onOpen={(id, record) => void open(id, record)}
      />
      <div class="work">
        {tabs.length > 0 && (
          <section class="card" aria-label="Call a method">
            <Tabs label="Methods" names={tabs} chosen={tab} onChoose={setTab}>
              {tab === CREATE && (
                <Form
                  label={`Create in ${service.path}`}
                  fields={methods.get('create')?.data ?? null}
                  button="Create"
                  empties
                  onSend={(data) => call(methods.get('create') as PageMethod, { data })}
                />
              )}
              {tab === EDIT && !chosen && (
                <p class="hint nothing">Choose a record in the table, or open one by its {service.id}.</p>
              )}
              {tab === EDIT && chosen && (
                <Edit
                  key={chosen.id}
                  chosen={chosen}
                  service={service}
                  change={change}
                  remove={methods.get('remove')}
                  onCall={call}
                  onGone={() => setChosen(undefined)}
                />
              )}
              {custom
                .filter(({ name }) => name === tab)
                .map((method) => (
                  <Custom key={method.name} method={method} service={service} onCall={call} />
                ))}
            </Tabs>
          </section>
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

/** The request for a call, or why there is none. */
function read(call: Call): Request | string {
  try {
    return toRequest(call)
  } catch (error) {
    return (error as Error).message
  }
}

interface EditProps {
  readonly chosen: Chosen
  readonly service: PageService
  readonly change: PageMethod | undefined
  readonly remove: PageMethod | undefined
  readonly onCall: MakeCall
  readonly onGone: () => void
}

function Edit({ chosen: { id, record }, service, change, remove, onCall, onGone }: EditProps) {
  const [isSure, setSure] = useState(false)

  async function removeRecord(method: PageMethod): Promise<void> {
    if (!isSure) {
      setSure(true)
      return
    }

    setSure(false)
    if (isOk(await onCall(method, { id }))) onGone()
  }

  return (
    <>
      <p class="chosen">
        <span class="hint">{service.id}</span> <code>{id}</code>
        {remove && (
          <button
            type="button"
            class={isSure ? 'danger sure' : 'danger'}
            onClick={() => void removeRecord(remove)}
            onBlur={() => setSure(false)}
          >
            {isSure ? 'Really remove' : 'Remove'}
          </button>
        )}
      </p>
      {change && (
        <Form
          label={`Change ${id} of ${service.path}`}
          fields={change.data}
          record={record}
          whole={change.name === 'update'}
          button="Save"
          onSend={(data) => onCall(change, { id, data })}
        />
      )}
    </>
  )
}

interface CustomProps {
  readonly method: PageMethod
  readonly service: PageService
  readonly onCall: MakeCall
}

/** Of a route by GET the query is what it takes, and of all the placeholders. */
function Custom({ method, service, onCall }: CustomProps) {
  const { name, route, data, query } = method
  const verb = route?.verb ?? 'POST'
  const placeholders = (route?.placeholders ?? []).filter((one) => !data?.some(({ path }) => path === one))
  const [values, setValues] = useState<ReadonlyMap<string, string>>(new Map())
  const [search, setSearch] = useState('')
  const isRead = verb === 'GET'
  const fields = isRead ? (query ?? []) : verb === 'DELETE' ? (data ?? []) : data

  async function send(sent: unknown): Promise<Outcome> {
    const asked = isRead && isObject(sent) ? (sent as Query) : {}
    const body = { ...(!isRead && isObject(sent) ? sent : {}), ...Object.fromEntries(values) }
    const whole = isRead || isObject(sent) ? body : sent
    const parameters = { ...asked, ...Object.fromEntries(new URLSearchParams(search)) }

    return onCall(method, { data: whole, ...(Object.keys(parameters).length > 0 && { query: parameters }) })
  }

  return (
    <Form label={`Call ${name} of ${service.path}`} fields={fields} button={`Call ${name}`} onSend={send}>
      <p class="chosen">
        <span class={`verb ${verb}`}>{verb}</span>{' '}
        <code>
          /{service.path}
          {route && `/${route.path}`}
        </code>
      </p>
      {placeholders.map((one) => (
        <Placeholder
          key={one}
          name={one}
          value={values.get(one) ?? ''}
          onValue={(value) => setValues(new Map(values).set(one, value))}
        />
      ))}
      {isRead && !query && (
        <div class="field">
          <label for="custom-query">query</label>
          <span class="kind">as in a URL</span>
          <input
            id="custom-query"
            class="mono"
            value={search}
            placeholder="limit=5"
            autoComplete="off"
            onInput={({ currentTarget }) => setSearch(currentTarget.value)}
          />
        </div>
      )}
    </Form>
  )
}

import { useEffect, useRef, useState } from 'preact/hooks'
import type { PageMethod, PageService } from '../../../src/openapi/page-data.ts'
import { wrap } from './envelope.ts'
import { Form } from './form.tsx'
import { Placeholder } from './place.tsx'
import { NestedLinks, RemoveButton, type ToNested } from './record-table.tsx'
import { Reference } from './reference.tsx'
import { isObject, isStandard, type MakeCall, type Query, type RequestOutcome } from './request.ts'
import { Tabs } from './tabs.tsx'

/** A record that was chosen. */
export interface Chosen {
  readonly id: string
  readonly record: unknown
}

const CREATE = 'create'

/** The tab of the methods that need a record. The space tells it from a custom method with that name. */
export const EDIT = 'edit '

/** The tab of what is returned. No method is called like it. */
const REFERENCE = 'What it returns'

/** The tabs for the methods of a service: one for each, one for those that need a record, and the reference. */
export function listTabs({ methods }: PageService): readonly string[] {
  const names = methods.map(({ name }) => name)

  return [
    ...(names.includes('create') ? [CREATE] : []),
    ...(['patch', 'update', 'remove'].some((name) => names.includes(name)) ? [EDIT] : []),
    ...names.filter((name) => !isStandard(name)),
    REFERENCE
  ]
}

interface MethodsProps {
  /** The identity that makes the calls, and its session. */
  readonly caller: string
  readonly service: PageService
  /** The tab that is shown. */
  readonly tab: string
  readonly chosen: Chosen | undefined
  readonly onTab: (tab: string) => void
  readonly onCall: MakeCall
  /** Changes the record that was chosen. */
  readonly onChange: (method: PageMethod, id: string, data: unknown) => Promise<RequestOutcome>
  readonly onRemove: ((id: string) => void) | undefined
  readonly toNested: ToNested
}

/** A form for each method of a service, and what they return. */
export function Methods(props: MethodsProps) {
  const { caller, service, tab, chosen, onTab, onCall } = props
  const methods = new Map(service.methods.map((method) => [method.name, method]))
  const create = methods.get('create')
  const custom = isStandard(tab) ? undefined : methods.get(tab)
  const change = methods.get('patch') ?? methods.get('update')

  return (
    <section class="card" aria-label="Call a method">
      <Tabs label="Methods" names={listTabs(service)} chosen={tab} onChoose={onTab}>
        {tab === CREATE && create && (
          <Form
            caller={caller}
            label={`Create in ${service.path}`}
            fields={create.data}
            button="Create"
            empties
            onSend={(data) => onCall(create, { data: wrap(service, create, data) })}
          />
        )}
        {tab === EDIT && !chosen && (
          <p class="hint nothing">Choose a record in the table, or open one by its {service.id}.</p>
        )}
        {tab === EDIT && chosen && <Edit key={chosen.id} {...props} chosen={chosen} change={change} />}
        {custom && <Custom key={tab} method={custom} {...{ caller, service, onCall }} />}
        {tab === REFERENCE && <Reference service={service} />}
      </Tabs>
    </section>
  )
}

interface EditProps extends Pick<MethodsProps, 'caller' | 'service' | 'onChange' | 'onRemove' | 'toNested'> {
  readonly chosen: Chosen
  readonly change: PageMethod | undefined
}

function Edit({ caller, chosen: { id, record }, service, change, onChange, onRemove, toNested }: EditProps) {
  const element = useRef<HTMLDivElement>(null)

  // The focus goes on where the record was opened.
  useEffect(() => {
    const first = element.current?.querySelector<HTMLElement>('form :is(input, select, textarea, button)')

    first?.focus()
  }, [])

  return (
    <div ref={element}>
      <p class="chosen">
        <span class="hint">{service.id}</span> <code>{id}</code>
        <NestedLinks links={toNested(id)} />
        {onRemove && <RemoveButton label="Remove" onRemove={() => onRemove(id)} />}
      </p>
      {change && (
        <Form
          caller={caller}
          label={`Change ${id} of ${service.path}`}
          fields={change.data}
          record={record}
          rest={change.name === 'update' ? toRest(record, service, change) : undefined}
          button="Save"
          onSend={(data) => onChange(change, id, data)}
        />
      )}
    </div>
  )
}

/** The properties of the record without a field and that no schema names, which an open object may have. */
function toRest(
  record: unknown,
  { id, fields, columns, relations }: PageService,
  { data }: PageMethod
): unknown {
  if (!data || !isObject(record)) return record
  // A view may have made any field.
  if (!fields) return {}

  const named = [...data, ...fields].map(({ names }) => names[0])
  const known = new Set([id, ...named, ...(columns ?? []), ...relations])

  return Object.fromEntries(Object.entries(record).filter(([name]) => !known.has(name)))
}

interface CustomProps extends Pick<MethodsProps, 'caller' | 'service' | 'onCall'> {
  readonly method: PageMethod
}

/** A form for a custom method: that of a route by GET has its query, and every route its placeholders. */
function Custom({ caller, method, service, onCall }: CustomProps) {
  const { name, route, data, query } = method
  const verb = route?.verb ?? 'POST'
  const placeholders = (route?.placeholders ?? []).filter((one) => !data?.some(({ path }) => path === one))
  const [values, setValues] = useState<ReadonlyMap<string, string>>(new Map())
  const [search, setSearch] = useState('')
  const isRead = verb === 'GET'
  const asksQuery = isRead ? !query : query
  const fields = isRead ? (query ?? []) : verb === 'DELETE' ? (data ?? []) : data

  async function send(entered: unknown): Promise<RequestOutcome> {
    const sent = isRead ? entered : wrap(service, method, entered)
    const body = { ...(!isRead && isObject(sent) ? sent : {}), ...Object.fromEntries(values) }
    const whole = isRead || isObject(sent) ? body : sent
    const parameters = { ...(isRead && isObject(sent) && (sent as Query)), ...readSearch(search) }

    return onCall(method, { data: whole, ...(Object.keys(parameters).length > 0 && { query: parameters }) })
  }

  return (
    <Form
      caller={caller}
      label={`Call ${name} of ${service.path}`}
      fields={fields}
      button={`Call ${name}`}
      onSend={send}
    >
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
      {asksQuery && (
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

/** A query as in a URL. A name that is there several times, or ends with `[]`, has a list. */
function readSearch(search: string): Query {
  const pairs = [...new URLSearchParams(search)]
  const toBare = (name: string) => name.replace(/\[\]$/, '')

  return Object.fromEntries(
    pairs.map(([name]) => {
      const bare = toBare(name)
      const values = pairs.filter(([other]) => toBare(other) === bare).map(([, value]) => value)

      return [bare, values.length > 1 || bare !== name ? values : values[0]]
    })
  )
}

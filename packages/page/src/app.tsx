import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { PageService } from '../../../src/openapi/page-data.ts'
import { needsLogin } from './caller.tsx'
import { ExposureTable } from './exposure.tsx'
import type { Identity } from './identity.ts'
import { ROOT } from './request.ts'
import { ServiceView } from './service.tsx'
import type { AppData, Page } from './state.ts'
import { useStore } from './store.ts'
import { Users } from './users.tsx'

interface AppProps {
  readonly data: AppData
  readonly identities: readonly Identity[]
}

const ACCESS = '#access'

/** The target of the link that skips what is before it. */
const MAIN = '#main'

/** The address of a service in the page. */
const toHash = (path: string): string => `#/${path.split('/').map(encodeURIComponent).join('/')}`

/** The application: its services, or the table of who may call them, beside the identities that call. */
export function App({ data, identities }: AppProps) {
  const hash = useHash()
  const [number, setNumber] = useState(1)
  const main = useRef<HTMLElement>(null)
  const identity = identities[number - 1] as Identity
  const page: Page = { data, identities, identity }
  const isAccess = hash === ACCESS
  const service = isAccess
    ? undefined
    : (data.services.find(({ path }) => toHash(path) === hash) ?? toFirst(data))

  useEffect(() => {
    document.title = `${isAccess ? 'Access' : (service?.path ?? 'No services')} · ${data.title}`
    // For screen readers, and so that the keyboard goes on where the click went.
    if (hash !== '') main.current?.focus({ preventScroll: true })
    scrollTo(0, 0)
  }, [hash])

  return (
    <>
      <Header data={data} isAccess={isAccess} service={service}>
        <ActingAs identities={identities} chosen={number} onChoose={setNumber} />
      </Header>
      <div class={isAccess ? 'columns wide' : 'columns'}>
        {!isAccess && <Services services={data.services} current={service?.path} />}
        <main id="main" ref={main} tabIndex={-1}>
          {isAccess ? (
            <ExposureTable identity={identity} />
          ) : service ? (
            <ServiceView key={service.path} page={page} service={service} />
          ) : (
            <NoServices />
          )}
        </main>
        {!isAccess && <Users page={page} onAct={setNumber} />}
      </div>
    </>
  )
}

interface HeaderProps {
  readonly data: AppData
  /** Whether the table of access is shown, and no service. */
  readonly isAccess: boolean
  readonly service: PageService | undefined
  readonly children: ComponentChildren
}

function Header({ data, isAccess, service, children }: HeaderProps) {
  return (
    <header class="top">
      <a class="skip" href={MAIN}>
        Skip to the service
      </a>
      <p class="brand">
        <img src={new URL('icon.svg', import.meta.url).href} alt="" width="26" height="26" />
        <strong>{data.title}</strong>
        {data.version !== '' && <span class="version">{data.version}</span>}
      </p>
      <nav aria-label="Page">
        <a href={service ? toHash(service.path) : '#'} aria-current={isAccess ? undefined : 'page'}>
          Services
        </a>
        <a href={ACCESS} aria-current={isAccess ? 'page' : undefined}>
          Access
        </a>
        {data.isForAll && (
          <a href={new URL('openapi.json', ROOT).href} target="_blank" rel="noreferrer">
            Document
          </a>
        )}
      </nav>
      {children}
    </header>
  )
}

function toFirst({ services, login }: AppData): PageService | undefined {
  const others = services.filter(({ path }) => path !== login?.path)

  // The first that shows something without a login.
  return (
    others.find(({ methods }) => methods.some(({ name, who }) => name === 'find' && !needsLogin(who))) ??
    services[0]
  )
}

function useHash(): string {
  const [hash, setHash] = useState(location.hash)

  useEffect(() => {
    const change = () => {
      if (location.hash !== MAIN) setHash(location.hash)
    }

    addEventListener('hashchange', change)

    return () => removeEventListener('hashchange', change)
  }, [])

  return hash
}

interface ServicesProps {
  readonly services: readonly PageService[]
  readonly current: string | undefined
}

/** From how many services on they can be searched. */
const MANY = 8

function Services({ services, current }: ServicesProps) {
  const [search, setSearch] = useState('')
  const found = services.filter(({ path }) => path.toLowerCase().includes(search.trim().toLowerCase()))

  return (
    <nav class="services" aria-label="Services">
      <h2>
        Services <span class="count">{services.length}</span>
      </h2>
      {services.length > MANY && (
        <input
          type="search"
          aria-label="Find a service"
          placeholder="Find a service"
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      )}
      <ul>
        {found.map(({ path, methods }) => (
          <li key={path}>
            <a href={toHash(path)} aria-current={path === current ? 'true' : undefined}>
              <span class="path">{path}</span>{' '}
              <span class="count" title={methods.map(({ name }) => name).join(', ')}>
                {methods.length}
                <span class="unseen"> methods</span>
              </span>
            </a>
          </li>
        ))}
      </ul>
      {found.length === 0 && services.length > 0 && <p class="hint">No service has that in its path.</p>}
    </nav>
  )
}

interface ActingAsProps {
  readonly identities: readonly Identity[]
  readonly chosen: number
  readonly onChoose: (number: number) => void
}

function ActingAs({ identities, chosen, onChoose }: ActingAsProps) {
  return (
    <fieldset class="acting-as">
      <legend>Calls are made as</legend>
      {identities.map((identity) => (
        <ActingAsOption
          key={identity.number}
          identity={identity}
          isChosen={identity.number === chosen}
          onChoose={onChoose}
        />
      ))}
    </fieldset>
  )
}

interface ActingAsOptionProps {
  readonly identity: Identity
  readonly isChosen: boolean
  readonly onChoose: (number: number) => void
}

function ActingAsOption({ identity, isChosen, onChoose }: ActingAsOptionProps) {
  useStore(identity)

  return (
    <label class={`user-${identity.number}`}>
      <input type="radio" name="acting-as" checked={isChosen} onChange={() => onChoose(identity.number)} />
      <span class="dot" />
      <span class="unseen">{identity.label}: </span>
      <span class="name">{identity.name}</span>
    </label>
  )
}

function NoServices() {
  return (
    <section class="empty">
      <h1>No services yet</h1>
      <p>
        This application has none. Register the first with <code>app.use('notes', memory())</code>, and open
        this page again.
      </p>
    </section>
  )
}

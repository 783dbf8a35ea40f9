import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { PageService } from '../../../src/openapi/page-data.ts'
import { needsLogin } from './caller.tsx'
import { ExposureTable } from './exposure.tsx'
import { Identities } from './identities.tsx'
import type { Identity } from './identity.ts'
import { ROOT, toHash } from './request.ts'
import { ServiceView } from './service.tsx'
import type { AppData, Page } from './state.ts'

interface AppProps {
  readonly data: AppData
  readonly identities: readonly Identity[]
  /** Makes a further identity. */
  readonly create: (number: number) => Identity
}

const ACCESS = '#access'

/** The target of the link that skips what is before it. */
const MAIN = '#main'

/** The application: its services, or the table of who may call them, and the identities that call. */
export function App({ data, identities: first, create }: AppProps) {
  const hash = useHash()
  const [identities, setIdentities] = useState(first)
  const [number, setNumber] = useState(1)
  const [loginOf, setLoginOf] = useState(0)
  const main = useRef<HTMLElement>(null)
  const identity = identities[number - 1] as Identity
  const page: Page = { data, identities, identity, onLogin: () => setLoginOf(number) }
  const isAccess = hash === ACCESS
  const [path, place = ''] = hash.split('?')
  const service = isAccess
    ? undefined
    : (data.services.find((one) => toHash(one.path) === path) ?? toFirst(data))

  useEffect(() => {
    document.title = `${isAccess ? 'Access' : (service?.path ?? 'No services')} · ${data.title}`
    // For screen readers, and so that the keyboard goes on where the click went.
    if (hash !== '') main.current?.focus({ preventScroll: true })
    scrollTo(0, 0)
  }, [hash])

  return (
    <>
      <Header data={data} isAccess={isAccess} service={service}>
        {data.login && (
          <Identities
            page={page}
            loginOf={loginOf}
            onLogin={setLoginOf}
            onAct={setNumber}
            onAdd={() => {
              setIdentities([...identities, create(2)])
              setLoginOf(2)
            }}
          />
        )}
      </Header>
      <div class={isAccess ? 'columns wide' : 'columns'}>
        {!isAccess && <Services services={data.services} current={service?.path} />}
        <main id="main" ref={main} tabIndex={-1}>
          {isAccess ? (
            <ExposureTable identity={identity} />
          ) : service ? (
            <ServiceView
              key={`${service.path}?${place}`}
              page={page}
              service={service}
              place={new Map(new URLSearchParams(place))}
            />
          ) : (
            <NoServices />
          )}
        </main>
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
            openapi.json
          </a>
        )}
      </nav>
      {children}
    </header>
  )
}

/** The first that shows something without a login, or else the first that shows something. */
function toFirst({ services }: AppData): PageService | undefined {
  const listing = services.filter(({ methods }) => methods.some(({ name }) => name === 'find'))

  return (
    listing.find(({ methods }) => methods.some(({ name, who }) => name === 'find' && !needsLogin(who))) ??
    listing[0] ??
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
      <h2>Services</h2>
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
        {found.map(({ path }) => (
          <li key={path}>
            <a class="path" href={toHash(path)} aria-current={path === current ? 'true' : undefined}>
              {path}
            </a>
          </li>
        ))}
      </ul>
      {found.length === 0 && services.length > 0 && <p class="hint">No service has that in its path.</p>}
    </nav>
  )
}

function NoServices() {
  return (
    <section class="empty">
      <h1>No services yet</h1>
      <p>
        Register the first with <code>app.use('notes', memory())</code>.
      </p>
    </section>
  )
}

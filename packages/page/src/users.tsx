import { useState } from 'preact/hooks'
import type { PageLogin, PageStrategy } from '../../../src/openapi/page-data.ts'
import type { Identity, LiveEvent } from './identity.ts'
import { isObject, isOk, toMessage } from './request.ts'
import type { Page } from './state.ts'
import { useStore } from './store.ts'
import { toDuration, toLine, toReadableText } from './values.ts'

interface UsersProps {
  readonly page: Page
  readonly onAct: (number: number) => void
}

/** Both identities, with the events that each of them gets. */
export function Users({ page, onAct }: UsersProps) {
  return (
    <aside class="users" aria-label="Identities">
      {page.identities.map((identity) => (
        <UserCard key={identity.number} page={page} identity={identity} onAct={onAct} />
      ))}
    </aside>
  )
}

interface UserCardProps extends UsersProps {
  readonly identity: Identity
}

function UserCard({ page, identity, onAct }: UserCardProps) {
  useStore(identity)

  const { login, socket } = page.data
  const { number, label, name, isLoggedIn } = identity
  const isActing = page.identity === identity

  return (
    <section class={`card user-card user-${number} ${isActing ? 'acts' : ''}`} aria-label={label}>
      <header>
        <span class="avatar" aria-hidden="true">
          {isLoggedIn ? [...name][0]?.toUpperCase() : number}
        </span>
        <div>
          <h2>{name}</h2>
          <p class="hint">
            {label}
            {isActing && <span class="unseen">, makes the calls</span>}
          </p>
        </div>
        {isLoggedIn && (
          <button type="button" class="quiet" onClick={() => void identity.logOut()}>
            Log out
          </button>
        )}
      </header>
      {login && !isLoggedIn && <LoginForm login={login} identity={identity} onAct={onAct} />}
      <Events identity={identity} hasSocket={socket !== null} />
    </section>
  )
}

interface LoginFormProps {
  readonly login: PageLogin
  readonly identity: Identity
  readonly onAct: (number: number) => void
}

/** A form for the credentials of an identity. */
export function LoginForm({ login, identity, onAct }: LoginFormProps) {
  // A token says who it is of; credentials are what a person has.
  const strategies = [...login.strategies].sort((a, b) => Number(a.name === 'jwt') - Number(b.name === 'jwt'))
  const [strategy, setStrategy] = useState(strategies[0])
  const [fault, setFault] = useState('')
  const [isBusy, setBusy] = useState(false)
  const id = `login-${identity.number}`

  if (!strategy) return <p class="hint">No strategy creates access tokens.</p>

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault()

    const credentials = readCredentials(event.currentTarget as HTMLFormElement, strategy as PageStrategy)

    if (!credentials) {
      setFault('The credentials are not a JSON object')
      return
    }

    setBusy(true)

    const outcome = await identity.logIn({ strategy: strategy?.name, ...credentials })

    setBusy(false)
    setFault(isOk(outcome) ? '' : toMessage(outcome))
    if (isOk(outcome)) onAct(identity.number)
  }

  return (
    <form
      class="login"
      aria-label={`Log in the ${identity.label.toLowerCase()}`}
      noValidate
      onSubmit={submit}
    >
      {strategies.length > 1 && (
        <Strategies id={id} strategies={strategies} chosen={strategy} onChoose={setStrategy} />
      )}
      <Credentials id={id} strategy={strategy} isRefused={fault !== ''} />
      {fault !== '' && (
        <p class="fault" id={`${id}-fault`} role="alert">
          {fault}
        </p>
      )}
      <button type="submit" class="primary" disabled={isBusy}>
        Log in
      </button>
    </form>
  )
}

interface StrategiesProps {
  /** The id of the form. */
  readonly id: string
  readonly strategies: readonly PageStrategy[]
  readonly chosen: PageStrategy
  readonly onChoose: (strategy: PageStrategy) => void
}

function Strategies({ id, strategies, chosen, onChoose }: StrategiesProps) {
  return (
    <div class="strategies">
      {strategies.map((one) => (
        <label key={one.name}>
          <input
            type="radio"
            name={`${id}-strategy`}
            checked={one === chosen}
            onChange={() => onChoose(one)}
          />
          <span>{one.name === 'jwt' ? 'token' : one.name}</span>
        </label>
      ))}
    </div>
  )
}

interface CredentialsProps {
  /** The id of the form. */
  readonly id: string
  readonly strategy: PageStrategy
  readonly isRefused: boolean
}

function Credentials({ id, strategy: { name, fields }, isRefused }: CredentialsProps) {
  return (
    <>
      {(fields ?? ['credentials']).map((field, index) => (
        <div class="field" key={`${name} ${field}`}>
          <label for={`${id}-${index}`}>{field}</label>
          <input
            id={`${id}-${index}`}
            data-field={field}
            type={isSecret(field) ? 'password' : 'text'}
            autoComplete="off"
            autoCapitalize="off"
            spellcheck={false}
            placeholder={fields ? undefined : '{ "name": "value" }'}
            aria-invalid={isRefused ? 'true' : undefined}
            aria-describedby={isRefused ? `${id}-fault` : undefined}
          />
        </div>
      ))}
    </>
  )
}

const isSecret = (field: string): boolean => /password|token|secret|key/i.test(field)

function readCredentials(form: HTMLFormElement, { fields }: PageStrategy): object | undefined {
  const inputs = [...form.querySelectorAll<HTMLInputElement>('[data-field]')]

  if (fields) return Object.fromEntries(inputs.map(({ dataset, value }) => [dataset.field, value]))

  try {
    const value = JSON.parse(inputs[0]?.value ?? '')

    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

interface EventsProps {
  readonly identity: Identity
  readonly hasSocket: boolean
}

function Events({ identity, hasSocket }: EventsProps) {
  const { live, events, count } = identity

  if (!hasSocket) {
    return (
      <div class="events">
        <p class="hint">
          No live events: the application has no <code>socketio()</code>.
        </p>
      </div>
    )
  }

  return (
    <div class="events">
      <p class="state">
        <span class={`light ${live}`} aria-hidden="true" />
        <span>{live === 'live' ? 'Live events' : 'Connecting …'}</span>
        {count > 0 && <span class="count">{count}</span>}
        {count > 0 && (
          <button type="button" class="quiet" onClick={() => identity.clear()}>
            Clear
          </button>
        )}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keyboard */}
      <div class="log" role="log" aria-label={`Events of the ${identity.label.toLowerCase()}`} tabIndex={0}>
        {events.length === 0 && <p class="hint">Events for this identity appear here.</p>}
        {events.map((event) => (
          <EventRow key={event.key} event={event} />
        ))}
      </div>
    </div>
  )
}

function EventRow({ event: { at, delay, service, event, data } }: { event: LiveEvent }) {
  const [isOpen, setOpen] = useState(false)

  return (
    <details class="event" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span class={`verb ${toLooks(event)}`}>{event}</span>
        <span class="path">{service}</span>
        <span class="when" title={at.toISOString()}>
          {delay === undefined ? at.toTimeString().slice(0, 8) : `+${toDuration(delay)}`}
        </span>
        <span class="line">{toLine(data)}</span>
      </summary>
      {isOpen && <pre>{toReadableText(data)}</pre>}
    </details>
  )
}

function toLooks(event: string): string {
  switch (event) {
    case 'created':
      return 'create'
    case 'updated':
    case 'patched':
      return 'patch'
    case 'removed':
      return 'remove'
    default:
      return 'custom'
  }
}

import type { Identity } from './identity.ts'
import { LoginForm } from './login-form.tsx'
import type { Page } from './state.ts'
import { useStore } from './store.ts'

interface IdentitiesProps {
  readonly page: Page
  /** The number of the identity whose login is open; 0 for none. */
  readonly loginOf: number
  readonly onLogin: (number: number) => void
  readonly onAct: (number: number) => void
  readonly onAdd: () => void
}

/** Who makes the calls: one identity, and a second one when it is wanted. */
export function Identities(props: IdentitiesProps) {
  const { identities } = props.page

  return (
    <fieldset class="identities">
      <legend>Calls as</legend>
      {identities.map((identity) => (
        <IdentityPill key={identity.number} {...props} identity={identity} />
      ))}
      {identities.length < 2 && (
        <button type="button" class="quiet" onClick={props.onAdd}>
          Add identity
        </button>
      )}
    </fieldset>
  )
}

const toInputId = (number: number): string => `identity-${number}`

interface IdentityPillProps extends IdentitiesProps {
  readonly identity: Identity
}

function IdentityPill({ page, identity, loginOf, onLogin, onAct }: IdentityPillProps) {
  useStore(identity)

  const { number, label, name, isLoggedIn } = identity
  const { login } = page.data
  const isOpen = loginOf === number && !isLoggedIn

  function close(): void {
    onLogin(0)
    document.getElementById(toInputId(number))?.focus()
  }

  return (
    <section
      class={`identity user-${number}`}
      aria-label={label}
      onKeyDown={({ key }) => {
        if (key === 'Escape' && isOpen) close()
      }}
    >
      <label>
        <input
          type="radio"
          name="identity"
          id={toInputId(number)}
          checked={page.identity === identity}
          onChange={() => onAct(number)}
        />
        <span class="dot" />
        <span class="unseen">{label}: </span>
        <span class="name">{name}</span>
      </label>
      <button
        type="button"
        class="quiet"
        aria-expanded={isLoggedIn ? undefined : isOpen}
        onClick={() => (isLoggedIn ? void identity.logOut() : onLogin(isOpen ? 0 : number))}
      >
        {isLoggedIn ? 'Log out' : 'Log in'}
      </button>
      {login && isOpen && (
        <div class="card panel">
          <LoginForm
            login={login}
            identity={identity}
            onDone={() => {
              onAct(number)
              close()
            }}
          />
        </div>
      )}
    </section>
  )
}

import { useEffect, useRef, useState } from 'preact/hooks'
import type { PageLogin, PageStrategy } from '../../../src/openapi/page-login.ts'
import type { Identity } from './identity.ts'
import { isObject, isOk, toMessage } from './request.ts'

interface LoginFormProps {
  readonly login: PageLogin
  readonly identity: Identity
  readonly onDone: () => void
}

/** A form for the credentials of an identity. */
export function LoginForm({ login, identity, onDone }: LoginFormProps) {
  // A token says who it is of; credentials are what a person has.
  const strategies = [...login.strategies].sort((a, b) => Number(a.name === 'jwt') - Number(b.name === 'jwt'))
  const [strategy, setStrategy] = useState(strategies[0])
  const [fault, setFault] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [keeps, setKeeps] = useState(false)
  const element = useRef<HTMLFormElement>(null)
  const id = `login-${identity.number}`

  useEffect(() => element.current?.querySelector<HTMLElement>('[data-field]')?.focus(), [])

  if (!strategy) return <p class="hint">No strategy creates access tokens.</p>

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault()

    const credentials = readCredentials(event.currentTarget as HTMLFormElement, strategy as PageStrategy)

    if (!credentials) {
      setFault('The credentials are not a JSON object')
      return
    }

    setBusy(true)

    const outcome = await identity.logIn({ strategy: strategy?.name, ...credentials }, keeps)

    setBusy(false)
    setFault(isOk(outcome) ? '' : toMessage(outcome))
    if (isOk(outcome)) onDone()
  }

  return (
    <form
      ref={element}
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
      <div class="actions">
        <label class="option">
          <input type="checkbox" checked={keeps} onChange={() => setKeeps(!keeps)} />
          Keep after a reload
        </label>
        <button type="submit" class="primary" disabled={isBusy}>
          Log in
        </button>
      </div>
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
        <label key={one.name} class="option">
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

import { useEffect, useRef } from 'preact/hooks'
import { Field } from './field.tsx'
import { type FormOptions, useForm } from './form-state.ts'
import { useUniqueId } from './store.ts'

interface FormProps extends FormOptions {
  readonly label: string
  readonly button: string
  /** Further fields, which are no data: placeholders of a route, an id. */
  readonly children?: preact.ComponentChildren
}

/** A form for the data of a call, by field or as JSON. */
export function Form(props: FormProps) {
  const { label, fields, button, children } = props
  const { entries, setEntries, text, setText, isJson, faults, message, isBusy, ...form } = useForm(props)
  const id = useUniqueId()
  const element = useRef<HTMLFormElement>(null)

  // The first field that was refused, so that it can be corrected at once.
  useEffect(() => {
    element.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [form.refusals])

  const shown = isJson ? [] : (fields ?? [])
  const named = new Set(shown.map(({ path }) => path))
  const others = [...faults].filter(([path]) => !named.has(path) && path !== '')

  return (
    <form
      ref={element}
      class="form"
      aria-label={label}
      noValidate
      onSubmit={form.submit}
      onKeyDownCapture={ignoreHeldEnter}
    >
      {children}
      {shown.map((field, index) => (
        <Field
          key={field.path}
          // Names may have spaces, which ids must not.
          id={`${id}-${index}`}
          field={field}
          entry={entries.get(field.path) ?? ''}
          fault={faults.get(field.path)}
          onEntry={(entry) => setEntries(new Map(entries).set(field.path, entry))}
        />
      ))}
      {isJson && (
        <JsonField id={id} text={text} fault={faults.get('')} isRefused={message !== ''} onText={setText} />
      )}
      {shown.length === 0 && !isJson && <p class="hint">It takes no data.</p>}
      {/* A fault of a field is said there, and once. */}
      {message !== '' && (others.length > 0 || faults.size === 0) && (
        <FormFault id={`${id}-fault`} message={message} faults={others} />
      )}
      <div class="actions">
        <button type="submit" class="primary" disabled={isBusy}>
          {button}
        </button>
        {fields && (
          <button type="button" class="quiet" aria-pressed={isJson} onClick={form.toggle}>
            JSON
          </button>
        )}
      </div>
    </form>
  )
}

/** Enter that is held down submits once. In fields of several lines it makes lines. */
function ignoreHeldEnter(event: KeyboardEvent): void {
  const { key, repeat, target } = event

  if (key === 'Enter' && repeat && !(target instanceof HTMLTextAreaElement)) event.preventDefault()
}

interface JsonFieldProps {
  /** The id of the form. */
  readonly id: string
  readonly text: string
  /** What is wrong with the text itself. */
  readonly fault: string | undefined
  /** Whether the server has refused the data. */
  readonly isRefused: boolean
  readonly onText: (text: string) => void
}

function JsonField({ id, text, fault, isRefused, onText }: JsonFieldProps) {
  const isInvalid = isRefused || fault !== undefined

  return (
    <div class="field">
      <label for={`${id}-json`}>data</label>
      <span class="kind">JSON</span>
      <textarea
        id={`${id}-json`}
        class="mono"
        rows={7}
        spellcheck={false}
        placeholder={'{\n  \n}'}
        value={text}
        aria-invalid={isInvalid ? 'true' : undefined}
        aria-describedby={isInvalid ? `${id}-fault` : undefined}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
        onKeyDown={({ key, ctrlKey, metaKey, repeat, currentTarget }) => {
          if (key === 'Enter' && (ctrlKey || metaKey) && !repeat) currentTarget.form?.requestSubmit()
        }}
      />
      {fault && (
        <p class="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  )
}

interface FormFaultProps {
  readonly id: string
  readonly message: string
  /** Those that are of no field. */
  readonly faults: readonly (readonly [path: string, sentence: string])[]
}

function FormFault({ id, message, faults }: FormFaultProps) {
  return (
    <div class="fault" id={id} role="alert">
      <p>{message}</p>
      {faults.length > 0 && (
        <ul>
          {faults.map(([path, sentence]) => (
            <li key={path}>
              <code>{path}</code> {sentence}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

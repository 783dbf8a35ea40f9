import { useEffect, useRef, useState } from 'preact/hooks'
import type { FormField } from '../../../src/openapi/form-fields.ts'
import {
  type Before,
  type Faults,
  type FormValue,
  parseJson,
  readFaults,
  toEntries,
  toFirstEntries,
  toFormData
} from './entries.ts'
import { Field } from './field.tsx'
import { isOk, type RequestOutcome, toMessage } from './request.ts'
import { useUniqueId } from './store.ts'

interface FormProps {
  readonly label: string
  /** `null` where they are not known: the data is written as JSON. */
  readonly fields: readonly FormField[] | null
  readonly button: string
  /** The record that is changed; only what differs is sent, unless it is `whole`. */
  readonly record?: unknown
  readonly whole?: boolean
  readonly onSend: (data: unknown) => Promise<RequestOutcome>
  /** Whether to empty the fields after a call that succeeded. */
  readonly empties?: boolean
  /** Further fields, which are no data: placeholders of a route, an id. */
  readonly children?: preact.ComponentChildren
}

const NONE: Faults = new Map()

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
    <form ref={element} class="form" aria-label={label} noValidate onSubmit={form.submit}>
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

/** What is entered in a form, and what came of sending it. */
function useForm({ fields, record, whole = false, onSend, empties = false }: FormProps) {
  const before: Before | undefined =
    record === undefined ? undefined : { record, entries: toEntries(fields ?? [], record), isWhole: whole }
  const first = before?.entries ?? toFirstEntries(fields ?? [])
  const [entries, setEntries] = useState(first)
  const [text, setText] = useState('')
  const [isJson, setJson] = useState(fields === null)
  const [faults, setFaults] = useState(NONE)
  const [message, setMessage] = useState('')
  const [isBusy, setBusy] = useState(false)
  const refusals = useRef(0)

  function refuse(found: Faults, sentence: string): void {
    refusals.current++
    setFaults(found)
    setMessage(sentence)
  }

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault()

    const { data, faults: own } = isJson || !fields ? readJson(text) : toFormData(fields, entries, before)

    if (own.size > 0) {
      refuse(own, '')
      return
    }

    setBusy(true)

    const outcome = await onSend(data)

    setBusy(false)

    if (!isOk(outcome)) {
      refuse(readFaults(outcome.body), toMessage(outcome))
      return
    }

    setFaults(NONE)
    setMessage('')
    if (empties) setEntries(first)
    if (empties) setText('')
  }

  function toggle(): void {
    if (!isJson && fields) setText(JSON.stringify(toFormData(fields, entries, before).data, null, 2))
    setFaults(NONE)
    setJson(!isJson)
  }

  const values = { entries, text, isJson, faults, message, isBusy, refusals: refusals.current }

  return { ...values, setEntries, setText, submit, toggle }
}

function readJson(text: string): FormValue {
  const parsed = parseJson(text.trim() === '' ? '{}' : text)

  return 'fault' in parsed
    ? { data: undefined, faults: new Map([['', parsed.fault]]) }
    : { data: parsed.value, faults: NONE }
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
        onKeyDown={({ key, ctrlKey, metaKey, currentTarget }) => {
          if (key === 'Enter' && (ctrlKey || metaKey)) currentTarget.form?.requestSubmit()
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
              {path !== '' && <code>{path}</code>} {sentence}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { FormField } from '../../../src/openapi/form-fields.ts'
import {
  type Before,
  type Faults,
  parseJson,
  readFaults,
  toData,
  toEntries,
  toFirstEntries
} from './entries.ts'
import { isOk, type Outcome, toMessage } from './request.ts'

interface FormProps {
  readonly label: string
  /** `null` where they are not known: the data is written as JSON. */
  readonly fields: readonly FormField[] | null
  /** Further fields, which are no data: placeholders of a route, an id. */
  readonly button: string
  /** The record that is changed; only what differs is sent, unless it is `whole`. */
  readonly record?: unknown
  readonly whole?: boolean
  readonly onSend: (data: unknown) => Promise<Outcome>
  /** Whether to empty the fields after a call that succeeded. */
  readonly empties?: boolean
  readonly children?: preact.ComponentChildren
}

const NONE: Faults = new Map()

export function Form(props: FormProps) {
  const { label, fields, button, record, whole = false, onSend, empties = false, children } = props
  const id = useId()
  const form = useRef<HTMLFormElement>(null)
  const before: Before | undefined =
    record === undefined ? undefined : { record, entries: toEntries(fields ?? [], record), isWhole: whole }
  const first = before?.entries ?? toFirstEntries(fields ?? [])
  const [entries, setEntries] = useState(first)
  const [text, setText] = useState('')
  const [isJson, setJson] = useState(fields === null)
  const [faults, setFaults] = useState(NONE)
  const [message, setMessage] = useState('')
  const [isBusy, setBusy] = useState(false)
  const attempt = useRef(0)

  // The first field that was refused, so that it can be corrected at once.
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [attempt.current])

  function refuse(found: Faults, sentence: string): void {
    attempt.current++
    setFaults(found)
    setMessage(sentence)
  }

  function read(): { readonly data: unknown; readonly faults: Faults } {
    if (!isJson && fields) return toData(fields, entries, before)

    const parsed = parseJson(text.trim() === '' ? '{}' : text)

    return 'fault' in parsed
      ? { data: undefined, faults: new Map([['', parsed.fault]]) }
      : { data: parsed.value, faults: NONE }
  }

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault()

    const { data, faults: own } = read()

    if (own.size > 0) {
      refuse(own, 'The form is not complete')
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
    if (!isJson && fields) setText(JSON.stringify(toData(fields, entries, before).data, null, 2))
    setFaults(NONE)
    setJson(!isJson)
  }

  const shown = isJson ? [] : (fields ?? [])
  const named = new Set(shown.map(({ path }) => path))
  const others = [...faults].filter(([path]) => !named.has(path) && !(isJson && path === ''))

  return (
    <form ref={form} class="form" aria-label={label} noValidate onSubmit={submit}>
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
            aria-invalid={faults.size > 0 ? 'true' : undefined}
            aria-describedby={faults.size > 0 ? `${id}-fault` : undefined}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit()
            }}
          />
        </div>
      )}
      {shown.length === 0 && !isJson && <p class="hint">It takes no data.</p>}
      {message !== '' && (
        <div class="fault" id={`${id}-fault`} role="alert">
          <p>{message}</p>
          {others.length > 0 && (
            <ul>
              {others.map(([path, sentence]) => (
                <li key={path}>
                  {path !== '' && <code>{path}</code>} {sentence}
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
      <div class="actions">
        <button type="submit" class="primary" disabled={isBusy}>
          {button}
        </button>
        {fields && (
          <button type="button" class="quiet" aria-pressed={isJson} onClick={toggle}>
            JSON
          </button>
        )}
      </div>
    </form>
  )
}

interface FieldProps {
  readonly id: string
  readonly field: FormField
  readonly entry: string
  readonly fault: string | undefined
  readonly onEntry: (entry: string) => void
}

function Field({ id, field, entry, fault, onEntry }: FieldProps) {
  const { path, kind, isRequired, isNullable, description } = field
  const described = [`${id}-kind`, ...(description ? [`${id}-text`] : []), ...(fault ? [`${id}-fault`] : [])]

  return (
    <div class={kind === 'boolean' ? 'field check' : 'field'}>
      <label for={id}>{path}</label>
      <span class="kind" id={`${id}-kind`}>
        {toKindName(field)}
        {isNullable && ', null'}
        {isRequired && kind !== 'boolean' && <em> required</em>}
      </span>
      <Input
        field={field}
        entry={entry}
        onEntry={onEntry}
        attributes={{
          id,
          'aria-required': isRequired && kind !== 'boolean' ? 'true' : undefined,
          'aria-invalid': fault ? 'true' : undefined,
          'aria-describedby': described.join(' ')
        }}
      />
      {description && (
        <p class="hint" id={`${id}-text`}>
          {description}
        </p>
      )}
      {fault && (
        <p class="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  )
}

function toKindName({ kind, isSecret }: FormField): string {
  if (kind === 'choice') return 'one of'
  if (kind === 'day') return 'date'
  if (kind === 'date') return 'date and time'
  if (kind === 'json') return 'JSON'

  return isSecret ? 'secret' : kind
}

interface InputProps {
  readonly field: FormField
  readonly entry: string
  readonly onEntry: (entry: string) => void
  readonly attributes: {
    readonly id: string
    readonly 'aria-required': 'true' | undefined
    readonly 'aria-invalid': 'true' | undefined
    readonly 'aria-describedby': string
  }
}

function Input({ field: { kind, values, isLong, isSecret }, entry, onEntry, attributes }: InputProps) {
  const onInput = ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
    onEntry(currentTarget.value)

  if (kind === 'boolean') {
    return (
      <input
        type="checkbox"
        {...attributes}
        checked={entry === 'on'}
        onChange={({ currentTarget }) => onEntry(currentTarget.checked ? 'on' : '')}
      />
    )
  }
  if (kind === 'choice') {
    return (
      <select {...attributes} value={entry} onChange={({ currentTarget }) => onEntry(currentTarget.value)}>
        <option value="">–</option>
        {values?.map((value, index) => (
          <option key={index} value={String(index)}>
            {String(value)}
          </option>
        ))}
      </select>
    )
  }
  if (kind === 'json' || isLong) {
    return (
      <textarea
        {...attributes}
        rows={kind === 'json' ? 2 : 3}
        class={kind === 'json' ? 'mono' : undefined}
        spellcheck={kind !== 'json'}
        value={entry}
        onInput={onInput}
        onKeyDown={submitByEnter}
      />
    )
  }

  return (
    <input
      {...attributes}
      type={isSecret ? 'password' : toType(kind)}
      inputMode={kind === 'integer' ? 'numeric' : kind === 'number' ? 'decimal' : undefined}
      autoComplete={isSecret ? 'new-password' : 'off'}
      step={kind === 'date' ? 1 : undefined}
      value={entry}
      onInput={onInput}
    />
  )
}

/** Enter submits everywhere; Shift and Enter make a line. */
function submitByEnter(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return

  event.preventDefault()
  ;(event.currentTarget as HTMLTextAreaElement).form?.requestSubmit()
}

function toType(kind: FormField['kind']): string {
  if (kind === 'date') return 'datetime-local'

  return kind === 'day' ? 'date' : 'text'
}

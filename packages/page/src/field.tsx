import { useState } from 'preact/hooks'
import type { FormField } from '../../../src/openapi/form-fields.ts'

interface FieldProps {
  readonly id: string
  readonly field: FormField
  readonly entry: string
  readonly fault: string | undefined
  readonly onEntry: (entry: string) => void
}

/** A field of a form, with what it takes and what is wrong with it. */
export function Field({ id, field, entry, fault, onEntry }: FieldProps) {
  const { names, kind, words, isRequired, description } = field
  const described = [`${id}-kind`, ...(description ? [`${id}-text`] : []), ...(fault ? [`${id}-fault`] : [])]

  return (
    <div class={kind === 'boolean' ? 'field check' : 'field'}>
      <label for={id}>{names.join('.')}</label>
      <span class="kind" id={`${id}-kind`}>
        {words}
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
  // A field of one line would lose the others.
  const [hasLines] = useState(entry.includes('\n'))
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
  if (kind === 'json' || isLong || hasLines) {
    return (
      <textarea
        {...attributes}
        rows={2}
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
  if (!event.repeat) (event.currentTarget as HTMLTextAreaElement).form?.requestSubmit()
}

function toType(kind: FormField['kind']): string {
  if (kind === 'date') return 'datetime-local'

  return kind === 'day' ? 'date' : 'text'
}

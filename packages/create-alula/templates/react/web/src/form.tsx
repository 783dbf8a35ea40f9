import { type InputHTMLAttributes, useId } from 'react'

/** What went wrong: a message, and the faults by field. */
export interface Fault {
  readonly message: string
  readonly errors?: { readonly [field: string]: string }
}

interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly name: string
  readonly label: string
  readonly fault: Fault | undefined
}

/** An input with its label, and with the fault that the server found in it. */
export function Field({ name, label, fault, ...input }: FieldProps) {
  const error = fault?.errors?.[name]
  // Other forms of the page may have a field with this name.
  const id = useId()

  return (
    <label>
      {label}
      <input name={name} aria-invalid={error !== undefined} aria-describedby={id} {...input} />
      <span id={id} className="error">
        {error}
      </span>
    </label>
  )
}

/** A fault that belongs to no field. */
export function Message({ fault }: { readonly fault: Fault | undefined }) {
  const isOfField = Object.keys(fault?.errors ?? {}).length > 0

  return (
    <p role="alert" className="error">
      {isOfField ? undefined : fault?.message}
    </p>
  )
}

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { FormField } from '../../../src/openapi/form-fields.ts'
import {
  type Before,
  type Entries,
  type Faults,
  type FormValue,
  parseJson,
  readFaults,
  toEntries,
  toFirstEntries,
  toFormData
} from './entries.ts'
import { isObject, isOk, type RequestOutcome, toMessage } from './request.ts'

/** What a form is for. */
export interface FormOptions {
  /** The identity and its session. */
  readonly caller: string
  /** `null` where they are not known: the data is written as JSON. */
  readonly fields: readonly FormField[] | null
  /** The record that is changed; only what differs is sent. */
  readonly record?: unknown
  /** With it the record is sent as a whole: the properties of the record without a field. */
  readonly rest?: unknown
  readonly onSend: (data: unknown) => Promise<RequestOutcome>
  /** Whether to empty the fields after a call that succeeded. */
  readonly empties?: boolean
}

const NONE: Faults = new Map()

const NO_REFUSAL = { faults: NONE, message: '' }

/** What is entered in a form, and what came of sending it. */
export function useForm(options: FormOptions) {
  const { caller, onSend, empties = false } = options
  const { known, toData, empty, ...entered } = useEntries(options)
  const [refusal, setRefusal] = useState(NO_REFUSAL)
  const [isBusy, setBusy] = useState(false)
  // At once: a second submit may come before the next render.
  const busy = useRef(false)
  const refusals = useRef(0)

  // What the server said to another user is not kept.
  useLayoutEffect(() => setRefusal(NO_REFUSAL), [caller])

  function refuse(faults: Faults, message: string): void {
    refusals.current++
    setRefusal({ faults, message })
  }

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    if (busy.current) return

    const { data, faults } = toData()

    if (faults.size > 0) {
      refuse(faults, '')
      return
    }

    busy.current = true
    setBusy(true)

    const former = known.current

    known.current = entered

    const outcome = await onSend(data)

    busy.current = false
    setBusy(false)

    if (!isOk(outcome)) {
      // What was refused is still typed, unless the record was opened again meanwhile.
      if (known.current === entered) known.current = former
      refuse(readFaults(outcome.body), toMessage(outcome))
      return
    }

    setRefusal(NO_REFUSAL)
    if (empties) empty()
  }

  function toggle(): void {
    entered.toggle()
    setRefusal(({ message }) => ({ faults: NONE, message }))
  }

  return { ...entered, ...refusal, isBusy, refusals: refusals.current, submit, toggle }
}

/** What is entered, by field or as JSON. */
function useEntries({ fields, record, rest }: FormOptions) {
  const before: Before | undefined =
    record === undefined ? undefined : { record, entries: toEntries(fields ?? [], record), rest }
  const first = before?.entries ?? toFirstEntries(fields ?? [])
  const firstText = fields || rest === undefined ? '' : JSON.stringify(rest, null, 2)
  const [entries, setEntries] = useState(first)
  const [text, setText] = useState(firstText)
  const [isJson, setJson] = useState(fields === null)
  /** What the form has shown or sent. What differs from it was typed since. */
  const known = useRef({ entries: first, text: firstText })
  /** The entries as of the last change from JSON to fields. */
  const entriesFromJson = useRef<Entries>()

  // The record is another one after a save, or when it is opened again. What was typed meanwhile stays.
  useEffect(() => {
    const was = known.current

    known.current = { entries: first, text: firstText }
    setEntries((typed) => keepTyped(typed, was.entries, first))
    if (firstText !== '') setText((typed) => (typed === was.text ? firstText : typed))
  }, [record])

  function toData(): FormValue {
    return isJson || !fields ? readJson(text) : toFormData(fields, entries, before)
  }

  function empty(): void {
    setEntries(first)
    setText('')
  }

  function toggle(): void {
    if (!fields) return

    if (isJson) {
      const { data } = toData()

      entriesFromJson.current = isObject(data) ? toEntries(fields, data, first) : entries
      setEntries(entriesFromJson.current)
    } else if (entries !== entriesFromJson.current) {
      // Otherwise the text is what was written there, which may have more than the fields.
      setText(JSON.stringify(toData().data, null, 2))
    }

    setJson(!isJson)
  }

  return { entries, setEntries, text, setText, isJson, known, toData, empty, toggle }
}

/** Returns `next` for each field that still has its entry of `was`. */
function keepTyped(entries: Entries, was: Entries, next: Entries): Entries {
  return new Map(
    [...entries].map(([path, entry]) => [path, entry === was.get(path) ? (next.get(path) ?? '') : entry])
  )
}

function readJson(text: string): FormValue {
  const parsed = parseJson(text.trim() === '' ? '{}' : text)

  return 'fault' in parsed
    ? { data: undefined, faults: new Map([['', parsed.fault]]) }
    : { data: parsed.value, faults: NONE }
}

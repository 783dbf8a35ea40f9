import { type FormEvent, useState } from 'react'
import { notes } from './client.ts'
import { type Fault, Field, Message } from './form.tsx'
import { useNotes } from './use-notes.ts'

/** The notes of the user. Changes of other windows appear at once. */
export function Notes() {
  const list = useNotes()
  const [fault, setFault] = useState<Fault>()

  const run = async (call: () => Promise<unknown>) => {
    try {
      await call()
      setFault(undefined)
    } catch (error) {
      setFault(error as Fault)
    }
  }

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()

    const form = event.currentTarget
    const text = String(new FormData(form).get('text'))

    return run(async () => {
      await notes.create({ text })
      form.reset()
    })
  }

  return (
    <>
      <form onSubmit={submit}>
        <Field name="text" label="New note" autoComplete="off" fault={fault} />
        <Message fault={fault} />
        <button type="submit">Add</button>
      </form>
      <ul>
        {list.map(({ id, text, done }) => (
          <li key={id}>
            <label>
              <input
                type="checkbox"
                checked={done}
                onChange={() => run(() => notes.patch(id, { done: !done }))}
              />
              {text}
            </label>
            <button type="button" aria-label={`Remove ${text}`} onClick={() => run(() => notes.remove(id))}>
              Remove
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

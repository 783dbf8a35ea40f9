import { useState } from 'preact/hooks'
import type { PageService } from '../../../src/openapi/page-data.ts'
import type { Place } from './request.ts'
import { useUniqueId } from './store.ts'

interface PlaceFormProps {
  /** The names of the placeholders. */
  readonly names: readonly string[]
  /** The services whose records they name. */
  readonly parents: PageService['parents']
  /** Their values, as far as they are known. */
  readonly place: Place
  readonly onChoose: (place: Place) => void
}

/** Asks for the placeholders in the path of a service. */
export function PlaceForm({ names, parents, place, onChoose }: PlaceFormProps) {
  const [values, setValues] = useState(place)
  const isComplete = names.every((name) => values.get(name))

  return (
    <form
      class="card form"
      aria-label="Placeholders of the path"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (isComplete) onChoose(values)
      }}
    >
      {names.map((name) => (
        <Placeholder
          key={name}
          name={name}
          parent={parents[name]}
          value={values.get(name) ?? ''}
          onValue={(value) => setValues(new Map(values).set(name, value))}
        />
      ))}
      <div class="actions">
        <button type="submit" disabled={!isComplete}>
          Show
        </button>
      </div>
    </form>
  )
}

interface PlaceholderProps {
  readonly name: string
  readonly parent?: string | undefined
  readonly value: string
  readonly onValue: (value: string) => void
}

/** A field for the value of a placeholder. */
export function Placeholder({ name, parent = 'the path', value, onValue }: PlaceholderProps) {
  const id = useUniqueId()

  return (
    <div class="field">
      <label for={id}>{name}</label>
      <span class="kind">in {parent}</span>
      <input
        id={id}
        value={value}
        autoComplete="off"
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
    </div>
  )
}

import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { useUniqueId } from './store.ts'

interface TabsProps {
  readonly label: string
  readonly names: readonly string[]
  readonly chosen: string
  readonly onChoose: (name: string) => void
  /** What stands at the end of their line. */
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
}

/** Tabs as the ARIA practices describe them: one of them is in the order of the keyboard, arrows go to the others. */
export function Tabs({ label, names, chosen, onChoose, aside, children }: TabsProps) {
  const id = useUniqueId()
  const list = useRef<HTMLDivElement>(null)

  function move(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    const index = names.indexOf(chosen)
    const next =
      event.key === 'Home'
        ? 0
        : event.key === 'End'
          ? names.length - 1
          : step && (index + step + names.length) % names.length

    if (next === undefined) return

    event.preventDefault()
    onChoose(names[next] as string)
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus()
  }

  return (
    <>
      <div class="tabs">
        <div role="tablist" aria-label={label} ref={list} onKeyDown={move}>
          {names.map((name, index) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={id + index}
              aria-selected={name === chosen}
              aria-controls={name === chosen ? `${id}-panel` : undefined}
              tabIndex={name === chosen ? 0 : -1}
              onClick={() => onChoose(name)}
            >
              {name}
            </button>
          ))}
        </div>
        {aside}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={id + names.indexOf(chosen)}>
        {children}
      </div>
    </>
  )
}

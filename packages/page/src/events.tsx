import { useState } from 'preact/hooks'
import type { Identity, Live, LiveEvent } from './identity.ts'
import { useStore } from './store.ts'
import { toDuration, toLine, toReadableText } from './values.ts'

/** The events that an identity gets. */
export function Events({ identity }: { identity: Identity }) {
  useStore(identity)

  const { number, label, name, live, events, count, isLoggedIn } = identity

  return (
    <section class={`card events user-${number}`} aria-label={`Live events of the ${label.toLowerCase()}`}>
      <header>
        <span class={`dot ${live}`} aria-hidden="true" />
        <h2>{toHeading(live, isLoggedIn)}</h2>
        <span class="hint name">{name}</span>
        {count > 0 && (
          <button type="button" class="quiet" onClick={() => identity.clear()}>
            Clear {count}
          </button>
        )}
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keyboard */}
      <div class="log" role="log" aria-label={`Events of the ${label.toLowerCase()}`} tabIndex={0}>
        {count === 0 && <p class="hint">None yet.</p>}
        {events.map((event) => (
          <EventRow key={event.key} event={event} />
        ))}
      </div>
    </section>
  )
}

function toHeading(live: Live, isLoggedIn: boolean): string {
  if (live === 'live') return 'Live events'
  if (live !== 'ended') return 'Connecting …'

  return isLoggedIn ? 'The login has ended' : 'Log in for live events'
}

function EventRow({ event: { at, delay, service, event, data } }: { event: LiveEvent }) {
  const [isOpen, setOpen] = useState(false)

  return (
    <details class="event" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span class={`verb ${event}`}>{event}</span>
        <span class="path">{service}</span>
        <span class="when" title={`${delay === undefined ? '' : 'after the last call, '}${at.toISOString()}`}>
          {delay === undefined ? at.toTimeString().slice(0, 8) : `+${toDuration(delay)}`}
        </span>
        <span class="line">{toLine(data)}</span>
      </summary>
      {isOpen && <pre>{toReadableText(data)}</pre>}
    </details>
  )
}

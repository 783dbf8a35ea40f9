import { useState } from 'preact/hooks'
import { LANGUAGES } from './code.ts'
import { Highlighted } from './highlight.tsx'
import { isOk, type PageCall, type Request, type RequestOutcome, type TokenHeader } from './request.ts'
import { Tabs } from './tabs.tsx'
import { toDuration, toReadableText } from './values.ts'

/** A call that was made, and what came of it. */
export interface MadeCall {
  readonly call: PageCall
  readonly request: Request
  readonly outcome: RequestOutcome
  /** Who made it. */
  readonly name: string
  /** The header of the access token that it was made with, if any. */
  readonly token: TokenHeader | undefined
}

const RESPONSE = 'Response'

/** The last call: its response, and the code that makes it. */
export function CallView({ made }: { made: MadeCall }) {
  const [tab, setTab] = useState(RESPONSE)
  const { call, request, outcome, name, token } = made
  const toCode = LANGUAGES.get(tab)
  const text = toCode ? toCode(call, request, token) : toReadableText(outcome.body)

  return (
    <section class="card call" aria-label="Last call">
      <header>
        <span class={`verb ${request.verb}`}>{request.verb}</span>
        <code class="url">/{toReadablePath(request.path)}</code>
        <span class={isOk(outcome) ? 'status good' : 'status bad'}>{outcome.status || 'no response'}</span>
        <span class="hint">{toDuration(outcome.milliseconds)}</span>
        <span class="hint name">as {name}</span>
      </header>
      <Tabs
        label="The call"
        names={[RESPONSE, ...LANGUAGES.keys()]}
        chosen={tab}
        onChoose={setTab}
        aside={<Copy text={text} />}
      >
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keyboard */}
        <section class="code" tabIndex={0} aria-label={tab === RESPONSE ? 'Response' : `Code for ${tab}`}>
          <pre>{text === '' ? 'No body' : <Highlighted text={text} />}</pre>
        </section>
      </Tabs>
    </section>
  )
}

/** The path of a service may have a `%` that escapes nothing. */
function toReadablePath(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

function Copy({ text }: { text: string }) {
  const [copied, setCopied] = useState('')

  // There is none without TLS, except on this machine.
  if (!navigator.clipboard) return null

  return (
    <button
      type="button"
      class="quiet"
      onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(text))}
    >
      {copied === text && text !== '' ? 'Copied' : 'Copy'}
    </button>
  )
}

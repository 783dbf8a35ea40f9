import { type Connection, type ConnectionListener, MAX_WAIT, WAIT } from './socket.ts'

/**
 * An event with a name of a service, and its data. Others say that events were missed, or nothing. Data may have U+2028, which a
 * dot does not match.
 */
const EVENT = /^event: ([^\n]+ [^\n]+)\n(?:[^\n]+\n)*data: ([^\n]*)/m

/** Gets events over HTTP, from `alula/events`. An `EventSource` could not send a token. */
export function createStream(
  url: string,
  toHeaders: () => { [name: string]: string },
  { onOpen, onClose, onEnd, onEvent }: ConnectionListener
): Connection {
  let reading: AbortController
  let timer: ReturnType<typeof setTimeout>
  /** How many milliseconds it waits; twice as many after each refusal. */
  let wait = WAIT

  async function open(): Promise<void> {
    reading = new AbortController()

    const { signal } = reading

    try {
      const { ok, status, body } = await fetch(url, { headers: toHeaders(), signal })

      if (signal.aborted) return
      if (status === 401) {
        onEnd()
        return
      }

      // Not `for await`: not every browser has it for streams.
      const reader = (body as ReadableStream).pipeThrough(new TextDecoderStream()).getReader()
      let text = ''

      wait = ok ? WAIT : Math.min(wait * 2, MAX_WAIT)
      if (ok) onOpen()
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        const events = (text + part.value).split('\n\n')

        text = events.pop() as string
        for (const event of events) {
          const [, name, data] = EVENT.exec(event) ?? []

          if (name) onEvent(name, JSON.parse(data as string))
        }
      }
    } catch {
      // The server was not reached, or the stream has ended.
    }

    if (signal.aborted) return

    onClose()
    timer = setTimeout(open, wait)
  }

  return {
    open,
    close() {
      wait = WAIT
      clearTimeout(timer)
      reading?.abort()
    }
  }
}

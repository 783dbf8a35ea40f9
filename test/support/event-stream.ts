/** An event as a client of Server-Sent Events gets it. */
export interface SentEvent {
  readonly [field: string]: string
}

/** Reads a response of Server-Sent Events. */
export function readEvents({ body }: Response) {
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let text = ''

  /** The next block of lines, as fields by name; `undefined` at the end. */
  async function next(): Promise<SentEvent | undefined> {
    while (!text.includes('\n\n')) {
      const { done, value } = await reader.read()

      if (done) return undefined

      text += decoder.decode(value, { stream: true })
    }

    const end = text.indexOf('\n\n')
    const lines = text.slice(0, end).split('\n')

    text = text.slice(end + 2)

    return Object.fromEntries(lines.map((line) => line.split(/: ?(.*)/s).slice(0, 2)))
  }

  return {
    next,
    /** The next one with a field. */
    async find(field: string): Promise<SentEvent | undefined> {
      let found = await next()

      while (found && found[field] === undefined) found = await next()

      return found
    },
    cancel: () => reader.cancel()
  }
}

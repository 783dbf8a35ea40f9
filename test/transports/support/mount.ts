export const toText = (text: unknown) => () => new Response(String(text))

/** A function that says what it was asked. */
export const echo = async (request: Request) => {
  const { pathname, search } = new URL(request.url)

  return Response.json({ method: request.method, url: pathname + search, body: await request.text() })
}

export const readJson = async (response: Promise<Response>): Promise<any> => (await response).json()

/** A stream of some strings, each of which is made when it is read. */
export function toStream(
  chunks: readonly string[],
  onCancel: () => void = () => undefined
): ReadableStream<Uint8Array> {
  const rest = chunks.map((chunk) => new TextEncoder().encode(chunk))

  return new ReadableStream(
    {
      pull(controller) {
        const chunk = rest.shift()

        if (chunk) controller.enqueue(chunk)
        else controller.close()
      },
      cancel: () => onCancel()
    },
    { highWaterMark: 0 }
  )
}

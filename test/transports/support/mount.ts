export const toText = (text: unknown) => () => new Response(String(text))

/** A function that says what it was asked. */
export const echo = async (request: Request) => {
  const { pathname, search } = new URL(request.url)

  return Response.json({ method: request.method, url: pathname + search, body: await request.text() })
}

export const readJson = async (response: Promise<Response>): Promise<any> => (await response).json()

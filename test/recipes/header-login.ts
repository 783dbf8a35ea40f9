/** Middleware for the programs of recipes that are about something else: the user is the number in the header `X-User`. */
export const HEADER_LOGIN = `
app.use((request, _response, next) => {
  const id = Number(request.get('x-user'))

  if (id) request.feathers = { ...request.feathers, user: { id }, authenticated: true }
  next()
})`

/** What a server has responded. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly body: any
}

/** Sends a request with JSON to a server of a recipe, as a user when one is given. */
export async function call(
  url: string,
  { user, headers, data, ...init }: RequestInit & { readonly user?: number; readonly data?: object } = {}
): Promise<Reply> {
  const response = await fetch(`http://${url}`, {
    headers: {
      'Content-Type': 'application/json',
      ...(user === undefined ? {} : { 'X-User': String(user) }),
      ...(headers as Record<string, string>)
    },
    ...(data && { method: 'POST', body: JSON.stringify(data) }),
    ...init
  })
  const text = await response.text()

  return { status: response.status, headers: response.headers, body: text && JSON.parse(text) }
}

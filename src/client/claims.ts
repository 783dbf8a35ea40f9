/** What a token of the server says; nothing for one that is no JWT. */
export function readClaims(accessToken: string | undefined): any {
  try {
    const text = (accessToken as string).split('.')[1] as string

    return JSON.parse(atob(text.replaceAll('-', '+').replaceAll('_', '/')))
  } catch {
    return {}
  }
}

/** The user of a token. One that names no user is like no other. */
export function toUser(accessToken: string | undefined): string {
  const { iss, sub = accessToken } = readClaims(accessToken)

  return JSON.stringify([iss, sub])
}

/** Whether a refresh token is of a session: it begins with the id. */
export function isOfSession(
  refreshToken: string | undefined,
  session: { readonly id: string } | undefined
): boolean {
  return Boolean(session && refreshToken?.startsWith(session.id))
}

import type { IncomingHeaders } from './http.ts'

/**
 * The address of a client behind proxies. Each proxy appends the address of its own client to `X-Forwarded-For`.
 *
 * @param address The address that the connection comes from
 * @param headers The headers of the request
 * @param trustProxy How many proxies are in front. Entries before theirs were written by the client
 */
export function toAddress(
  address: string | undefined,
  headers: IncomingHeaders,
  trustProxy: number
): string | undefined {
  if (trustProxy === 0) return address

  const forwarded = toList(headers['x-forwarded-for'])

  return forwarded.at(-Math.min(trustProxy, forwarded.length)) ?? address
}

/** The host that a client asked for; behind proxies the first in `X-Forwarded-Host`, if any. */
export function toHost(headers: IncomingHeaders, trustProxy: number): string | undefined {
  const [forwarded] = trustProxy === 0 ? [] : toList(headers['x-forwarded-host'])

  return forwarded ?? (headers.host as string | undefined)
}

function toList(header: string | string[] | undefined): string[] {
  return [header ?? []]
    .flat()
    .join(',')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

import type { IncomingHeaders } from './http.ts'

/**
 * The address of a client behind proxies, each of which adds the address that it was called from to `X-Forwarded-For`.
 *
 * @param address The address that the connection comes from
 * @param headers The headers of the request
 * @param trustProxy How many proxies are in front. What stands before their entries was written by the client
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

/** The host that a client asked for; behind proxies that of `X-Forwarded-Host`, where there is one. */
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

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

  return toTrusted(headers['x-forwarded-for'], trustProxy) ?? address
}

/** The host that a client asked for; behind proxies that of `X-Forwarded-Host`, where there is one. */
export function toHost(headers: IncomingHeaders, trustProxy: number): string | undefined {
  // HTTP/2 has a pseudo-header instead.
  const host = (headers.host ?? headers[':authority']) as string | undefined

  return trustProxy === 0 ? host : (toTrusted(headers['x-forwarded-host'], trustProxy) ?? host)
}

/** The entry of the first proxy that is trusted: clients may have written those before it. */
function toTrusted(header: string | string[] | undefined, trustProxy: number): string | undefined {
  const entries = toList(header)

  return entries.at(-Math.min(trustProxy, entries.length))
}

function toList(header: string | string[] | undefined): string[] {
  return [header ?? []]
    .flat()
    .join(',')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

import type { IncomingHeaders } from './http.ts'

/**
 * The address of a client behind as many proxies as are trusted. Each appends the address of its own client to
 * `X-Forwarded-For`; entries before theirs were written by the client.
 */
export function toAddress(
  address: string | undefined,
  headers: IncomingHeaders,
  trustProxy = 0
): string | undefined {
  if (trustProxy === 0) return address

  return toTrusted(headers['x-forwarded-for'], trustProxy) ?? address
}

/** Headers in which proxies say for whom they ask. */
const FORWARDING: readonly string[] = [
  'x-forwarded-for',
  'forwarded',
  'x-real-ip',
  'x-client-ip',
  'true-client-ip',
  'cf-connecting-ip'
]

/** Whether a proxy has passed a request on, or a client says so. */
export function isForwarded(headers: IncomingHeaders): boolean {
  return FORWARDING.some((name) => headers[name] !== undefined)
}

/** The host that a client asked for; behind proxies the one that the first of them names in `X-Forwarded-Host`, if any. */
export function toHost(headers: IncomingHeaders, trustProxy = 0): string | undefined {
  // HTTP/2 has a pseudo-header instead.
  const host = (headers.host ?? headers[':authority']) as string | undefined

  return trustProxy === 0 ? host : (toTrusted(headers['x-forwarded-host'], trustProxy) ?? host)
}

/** The entry of the first proxy that is trusted: clients may have written those before it. */
function toTrusted(header: string | string[] | undefined, trustProxy: number): string | undefined {
  const list = [header ?? []].flat().join(',').split(',')
  const entries = list.map((entry) => entry.trim()).filter((entry) => entry !== '')

  return entries.at(-Math.min(trustProxy, entries.length))
}

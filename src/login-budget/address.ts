import { isIP } from 'node:net'

/** IPv4 with a port, and IPv6 in brackets: what some proxies write into `X-Forwarded-For`. */
const WITH_PORT = /^(?:(\d+\.\d+\.\d+\.\d+)|\[([^\]]*)\]):?\d*$/

/** IPv4 that a socket for both families has (RFC 4291 §2.5.5.2). */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/**
 * What failed logins are counted by: IPv4 as it is, and of IPv6 the first half. Providers give each customer that much, and
 * a machine chooses the second half itself.
 *
 * @param address The address of a client
 * @returns `undefined` for what is no address
 */
export function toAddressKey(address: string | undefined): string | undefined {
  const [, ipv4, ipv6] = WITH_PORT.exec(address ?? '') ?? []
  const plain = (ipv4 ?? ipv6 ?? address ?? '').split('%', 1)[0] as string
  const unmapped = MAPPED.exec(plain)?.[1] ?? plain

  switch (isIP(unmapped)) {
    case 4:
      return unmapped
    case 6:
      return toNetwork(unmapped)
    default:
      return undefined
  }
}

/** The first four groups. A URL writes an address in one way, without leading zeros and with a single `::`. */
function toNetwork(address: string): string {
  const [before = '', after] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const groups = before === '' ? [] : before.split(':')
  const rest = after ? after.split(':') : []
  const zeros = after === undefined ? 0 : 8 - groups.length - rest.length
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...rest]

  return `${all.slice(0, 4).join(':')}::/64`
}

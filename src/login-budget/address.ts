import { isIP } from 'node:net'

/** IPv4 with a port, and IPv6 in brackets: what some proxies write into `X-Forwarded-For`. */
const WITH_PORT = /^(?:(\d+\.\d+\.\d+\.\d+)|\[([^\]]*)\])(?::\d*)?$/

/** IPv4 that a socket for both families has (RFC 4291 §2.5.5.2), as a URL writes it. */
const MAPPED = /^::ffff:([\da-f]+):([\da-f]+)$/

/**
 * What failed logins are counted by: IPv4 as it is, and of IPv6 the first half. Providers give each customer that much, and a
 * machine chooses the second half itself. `undefined` for what is no address.
 */
export function toAddressKey(address: string | undefined): string | undefined {
  const [, ipv4, ipv6] = WITH_PORT.exec(address ?? '') ?? []
  const plain = (ipv4 ?? ipv6 ?? address ?? '').split('%', 1)[0] as string

  switch (isIP(plain)) {
    case 4:
      return plain
    case 6:
      return toNetwork(plain)
    default:
      return undefined
  }
}

/** The first four groups, or IPv4. A URL writes an address in one way, without leading zeros and with a single `::`. */
function toNetwork(address: string): string {
  const name = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const mapped = MAPPED.exec(name)?.slice(1)

  if (mapped) return mapped.flatMap((group) => [...Buffer.from(group.padStart(4, '0'), 'hex')]).join('.')

  const [before = '', after] = name.split('::')
  const groups = before === '' ? [] : before.split(':')
  const rest = after ? after.split(':') : []
  const zeros = after === undefined ? 0 : 8 - groups.length - rest.length
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...rest]

  return `${all.slice(0, 4).join(':')}::/64`
}

import { toJsonText } from '../transport/encode.ts'

/** The part of a packet of Socket.IO that is changed here. */
interface Packet {
  type: number
  data?: unknown
}

/** Turns packets into strings and bytes. */
export interface Encoder {
  encode(packet: object): unknown[]
}

/** How many attachments clients of Socket.IO accept; they close the connection on a packet with more. */
const MAX_ATTACHMENTS = 10

/**
 * Has the encoder of a server send packets as JSON, as a response over HTTP would be, that have a `bigint` or more attachments
 * than clients accept. Otherwise one client could store bytes that disconnect every client that reads them.
 */
export function encodeAsJson(encoder: Encoder): void {
  const encode = encoder.encode.bind(encoder)

  encoder.encode = (packet: Packet) => {
    // Read first: encoding takes the bytes out of the packet.
    const { type, data } = packet
    const encoded = encodeWhole(packet)

    if (encoded && encoded.length <= 1 + MAX_ATTACHMENTS) return encoded

    return encode({ ...packet, type, data: JSON.parse(toJsonText(data) as string), attachments: undefined })
  }

  /** The packet as Socket.IO encodes it; `undefined` where it cannot, which may be because of a `bigint`. */
  function encodeWhole(packet: Packet): unknown[] | undefined {
    try {
      return encode(packet)
    } catch {
      return undefined
    }
  }
}

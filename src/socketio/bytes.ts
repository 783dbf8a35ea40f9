/** The part of a packet of Socket.IO that is changed here. */
interface Packet {
  type: number
  data?: unknown
}

interface Encoder {
  encode(packet: any): unknown[]
}

/** How many attachments clients of Socket.IO take; with a packet that has more they close their connection. */
const MOST_ATTACHMENTS = 10

/**
 * Sends packets with more bytes than clients take as JSON, which is what a request over HTTP would get. Records of
 * several clients are in one answer, and none of them shall lock the others out.
 *
 * @param encoder That of a server of Socket.IO; it is changed. Encoders of other parsers have no attachments
 */
export function boundAttachments(encoder: Encoder): void {
  const encode = encoder.encode.bind(encoder)

  encoder.encode = (packet: Packet) => {
    // Before it is changed: to encode bytes means to take them out of the packet.
    const { type, data } = packet
    const encoded = encode(packet)

    if (encoded.length <= 1 + MOST_ATTACHMENTS) return encoded

    return encode({ ...packet, type, data: JSON.parse(JSON.stringify(data)), attachments: undefined })
  }
}

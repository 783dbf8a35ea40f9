/** Reads the body of a response, and no more than `max` bytes. Throws an Error for a longer one, whose request ends. */
export async function readBounded({ body }: Response, max: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0

  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    // To leave the loop ends the request.
    if (size > max) throw new Error(`The response has more than ${max} bytes`)
    chunks.push(chunk)
  }

  return Buffer.concat(chunks)
}

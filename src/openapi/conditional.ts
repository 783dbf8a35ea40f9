import { hasAlready } from '../transport/encode.ts'

/**
 * The response with this content, or a 304 where the client has it already. `tag` is its entity tag; without one it is always
 * sent.
 */
export function toConditional(
  { headers: sent }: Pick<Request, 'headers'>,
  content: string,
  headers: { readonly [name: string]: string },
  tag: string | undefined
): Response {
  const all = { ...headers, ...(tag && { ETag: tag }) }

  return tag && hasAlready(Object.fromEntries(sent), tag)
    ? new Response(null, { status: 304, headers: all })
    : new Response(content, { headers: all })
}

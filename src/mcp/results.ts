import type { CallToolResult } from '@modelcontextprotocol/server'
import { toJsonText } from '../transport/encode.ts'
import { isObject } from '../utils/check.ts'

/** How many bytes of a result a model gets. */
const MAX_BYTES = 50_000

const ADVICE = 'use $select or $limit'

/**
 * What a model gets of the result that a client gets. A list, or a page, that is too large loses whole records at its end.
 * `many` is the field that a page, or an envelope, has its records in; `undefined` where there is no list.
 */
export function toToolResult(result: unknown, many: string | undefined): CallToolResult {
  const text = toJsonText(result) ?? 'Done'
  const bytes = Buffer.byteLength(text)

  if (bytes <= MAX_BYTES) return toText(text)

  const leftOut = toText(`Done. The result has ${bytes} bytes and is left out: ${ADVICE}`)
  const isBare = Array.isArray(result)
  const records: unknown = isBare ? result : many !== undefined && isObject(result) && result[many]

  if (many === undefined || !Array.isArray(records)) return leftOut

  const envelope = isBare ? 0 : Buffer.byteLength(toJsonText({ ...(result as object), [many]: [] }) as string)

  if (envelope > MAX_BYTES) return leftOut

  const kept = cut(records, MAX_BYTES - envelope)

  return toText(
    toJsonText(isBare ? kept : { ...(result as object), [many]: kept }) as string,
    `Only the first ${kept.length} of ${records.length} records are here, which are ${bytes} bytes: ${ADVICE}`
  )
}

/** The first records that fit. */
function cut(records: readonly unknown[], limit: number): readonly unknown[] {
  let bytes = 2
  const end = records.findIndex((record) => {
    bytes += Buffer.byteLength(toJsonText(record) ?? 'null') + 1

    return bytes > limit
  })

  return records.slice(0, end)
}

/** A sentence, or several. */
export function toText(...texts: readonly string[]): CallToolResult {
  return { content: texts.map((text) => ({ type: 'text', text })) }
}

/** A fault that the model can correct. Errors of the protocol end what it does. */
export function toFault(sentence: string): CallToolResult {
  return { ...toText(sentence), isError: true }
}

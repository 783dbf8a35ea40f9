// What documents say of envelopes.
import type { ManifestService } from '../manifest/services.ts'
import { CURSOR_FIELDS } from '../query/operators.ts'
import { COUNTS, type Envelope } from '../schema/envelope.ts'
import { getProperties, getTypes, type JsonSchema, mayBeSomething } from '../schema/json-schema.ts'
import { withoutReference } from '../schema/references.ts'
import { readShape } from '../schema/shape.ts'

const INTEGER: JsonSchema = Object.freeze({ type: 'integer' })
const BOOLEAN: JsonSchema = Object.freeze({ type: 'boolean' })
/** Null on a page without records. */
const CURSOR: JsonSchema = Object.freeze({ type: ['string', 'null'] })

/** A field, and what it holds. */
type Field = readonly [name: string, schema: JsonSchema]

/** What responses with one value are. */
export function toOneResponse(value: JsonSchema, envelope: Envelope = {}): JsonSchema {
  return envelope.one === undefined ? value : toObject([[envelope.one, value]])
}

/** What responses with a list are. */
export function toListResponse(items: JsonSchema, envelope: Envelope = {}): JsonSchema {
  const list = toList(items)

  return envelope.many === undefined ? list : toObject([[envelope.many, list]])
}

/** What `find` responds with where it returns pages. */
export function toPageResponse(
  { page, isStored, definition }: ManifestService,
  items: JsonSchema
): JsonSchema {
  const envelope: Envelope = definition?.envelope ?? {}
  const isBare = envelope.many === undefined
  const data = isBare ? 'data' : envelope.many
  const fields: [name: string, schema: JsonSchema, isThere: boolean][] = []

  for (const count of COUNTS) {
    const name = isBare ? count : envelope[count]
    const isCounted = count === 'skip' ? !page?.hasCursors : count !== 'total' || page?.hasTotal !== false

    // Of other services it is not known whether they count; in an envelope, nor whether they return a page.
    if (name === undefined || (isStored && !isCounted)) continue

    // With cursors a query has to ask for the total.
    const isThere = isStored ? count !== 'total' || !page?.hasCursors : isBare && count !== 'total'

    fields.push([name, INTEGER, isThere])
  }

  if (isStored && page?.hasCursors) {
    for (const name of CURSOR_FIELDS) fields.push([name, name.startsWith('has') ? BOOLEAN : CURSOR, true])
  }

  fields.push([data as string, toList(items), true])

  return toObject(
    fields.map(([name, schema]) => [name, schema]),
    { required: fields.filter(([, , isThere]) => isThere).map(([name]) => name) }
  )
}

/** Whether a result may be nothing, for which a response has no body. */
export function mayBeNothing(schema: JsonSchema): boolean {
  return readShape(schema).alternatives.some((part) => getTypes(part).includes('null'))
}

/** A page as its envelope has it. */
export function renamePage(result: JsonSchema, envelope: Envelope): JsonSchema {
  const [page = {}] = readShape(result).alternatives.filter(mayBeSomething)
  const names = new Map([['data', envelope.many], ...COUNTS.map((name) => [name, envelope[name]] as const)])
  const fields = [...getProperties(page)].flatMap(([name, schema]): Field[] => {
    const renamed = names.get(name)

    return renamed === undefined ? [] : [[renamed, schema]]
  })
  const required = Array.isArray(page.required) ? page.required : []

  return {
    ...withoutReference(result),
    ...page,
    ...toObject(fields, { required: required.flatMap((name) => names.get(name) ?? []) })
  }
}

/** What requests have, where their data is in an envelope. `data` is `undefined` where it is not known, and may be nothing. */
export function toRequest(
  data: JsonSchema | undefined,
  { one = '', many }: Envelope,
  { mayBeOne, mayBeList, isClosed }: RequestRules
): JsonSchema {
  const more = isClosed ? { additionalProperties: false } : {}
  const inField = (name: string, schema: JsonSchema) => toObject([[name, schema]], more)

  if (!data) {
    return {
      oneOf: [
        { type: 'object', maxProperties: 0 },
        inField(one, many === undefined ? { type: ['object', 'array'] } : { type: 'object' }),
        ...(many === undefined ? [] : [inField(many, { type: 'array' })])
      ]
    }
  }

  const choices = [
    ...(mayBeOne ? [inField(one, data)] : []),
    ...(mayBeList ? [inField(many ?? one, mayBeOne ? toList(data) : data)] : [])
  ]

  return choices.length > 1 ? { oneOf: choices } : (choices[0] as JsonSchema)
}

/** What the data of a request may be. */
export interface RequestRules {
  readonly mayBeOne: boolean
  readonly mayBeList: boolean
  /** Whether fields beside that of the envelope are refused. */
  readonly isClosed: boolean
}

function toList(items: JsonSchema): JsonSchema {
  return { type: 'array', items }
}

function toObject(fields: readonly Field[], more: object = {}): JsonSchema {
  return {
    type: 'object',
    required: fields.map(([name]) => name),
    properties: Object.fromEntries(fields),
    ...more
  }
}

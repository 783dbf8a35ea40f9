// The id in the data of `update` and `patch`: clients write back what they read.
import type { HookContext, Id } from '../core/types.ts'
import { copyQuery } from '../query/validated.ts'
import { getSlots, setSlots } from '../utils/call-state.ts'
import { isFunction } from '../utils/check.ts'
import { findOrNothing } from '../utils/find-or-nothing.ts'
import { copyWith, isPlainObject } from '../utils/object.ts'
import type { SchemaSettings } from './declaration.ts'
import { SET_BY_SERVER, toBadRequest } from './faults.ts'

declare module '../utils/call-state.ts' {
  interface ContextSlots {
    /** The id that its data had, where the call names its record by another field, and the path of that id in the request. */
    readonly sentId?: { readonly field: string; readonly id: Id; readonly path: string }
  }
}

/** What decides whether an id in data is one that a client may write back. */
export interface OwnIdSettings extends Pick<SchemaSettings, 'unknown'> {
  /** The id, where the schema does not have it: only internal calls may give it, beside the fields of `server`. */
  readonly id?: string | undefined
  /** Whether clients never see the id: they cannot write it back. */
  readonly hidesId?: boolean
  /** Converts an id that a client sent; it throws for what can be none. */
  readonly convertId?: (id: Id) => Id
  /** The method: what the server sets differs. */
  readonly writes?: 'create' | 'update' | 'patch'
}

/** Prepares what leaves an id out of data that is that of the record: it changes nothing. Any other stays, to be refused. */
export function compileOwnId({
  id: field,
  hidesId = false,
  convertId = (id) => id,
  unknown,
  writes
}: OwnIdSettings): (data: unknown, context: HookContext, isOutside: boolean, within: string) => unknown {
  const toOwn = (sent: unknown): Id | undefined => {
    try {
      return isId(sent) ? convertId(sent) : undefined
    } catch {
      return undefined
    }
  }

  return (data, context, isOutside, within) => {
    const isLeft = field === undefined || hidesId || writes === 'create' || unknown === 'drop'

    if (isLeft || !isOutside || context.id === null || !isPlainObject(data)) return data

    const id = toOwn(data[field])

    if (id === undefined || !mayBeOwn(context, { field, id, path: within + field })) return data

    const { [field]: _, ...others } = data

    return others
  }
}

/** Whether an id is that of the record, as far as it is known before the call. */
function mayBeOwn(context: HookContext, sentId: { field: string; id: Id; path: string }): boolean {
  const { id, params, service } = context as HookContext & { params: { adapter?: { by?: object } } }

  if (params.adapter?.by === undefined) return String(id) === String(sentId.id)
  if (!isFunction(service._get)) return false

  // To read the id of the record here would tell of one that the caller may not write.
  setSlots(context, { sentId })

  return true
}

/**
 * Refuses another id than that of the record, by BadRequest, where the call names its record by another field. The query of the
 * call has the restrictions of the rules by now: a record that the caller may not write is not found, and the method decides
 * what happens.
 */
export async function assertSentId(context: HookContext): Promise<void> {
  const { sentId } = getSlots(context)

  if (!sentId) return

  const { service, id, params } = context
  const { provider: _, ...internal } = params
  const query = copyQuery(params.query, { $select: [sentId.field] })
  const stored = await findOrNothing<{ readonly [field: string]: unknown }>(() =>
    service._get(id, copyWith(internal, { query }))
  )

  if (stored && String(stored[sentId.field]) !== String(sentId.id)) {
    throw toBadRequest('data', [{ path: sentId.path, message: SET_BY_SERVER }])
  }
}

/** Whether a value can be an id that a client sent. */
function isId(value: unknown): value is Id {
  return typeof value === 'string' || typeof value === 'number'
}

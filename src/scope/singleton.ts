import { setRestriction } from '../access/restriction.ts'
import { getIdField } from '../core/service.ts'
import type { HookContext, Singleton } from '../core/types.ts'
import { NotFound } from '../errors.ts'
import { andThen } from '../utils/promise.ts'
import { shorten } from '../utils/shorten.ts'

/** The methods that a single record does not have for clients. Relations and the code of a service call them all the same. */
export const OF_MANY: readonly string[] = ['find', 'create']

/**
 * Gives an external call, whose credentials are verified, the id of the one record that its caller reaches, or holds it to that
 * record where the method takes no id. Internal calls name a record. Throws NotFound where there is none, and for another id.
 */
export function resolveSingleton(context: HookContext, singleton: Singleton): void | Promise<void> {
  if (!context.params.provider) return

  return andThen(singleton(context.params), (id) => {
    const asked = context.id as HookContext['id'] | null

    if (id === undefined || id === null) throw new NotFound('There is no such record')
    // Over a socket, and in a call with the rights of its caller, an id may be there.
    if (asked !== undefined && asked !== null && String(asked) !== String(id)) {
      throw new NotFound(`No record found for id '${shorten(String(asked))}'`)
    }

    if (OF_MANY.includes(context.method)) setRestriction(context, { [getIdField(context.service)]: id })
    else context.id = id as HookContext['id']
  })
}

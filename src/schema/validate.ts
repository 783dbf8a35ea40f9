import { listExtensions } from '../core/extensions.ts'
import { getServiceOptions } from '../core/service.ts'
import type { HookContext } from '../core/types.ts'
import { describeHook } from '../hooks/traits.ts'
import type { Hook } from '../hooks/types.ts'
import { createError } from '../utils/developer-error.ts'

/**
 * A before hook that checks the input by the schema of its service, in a place of its own choice; without it input is
 * checked after the last hook that authenticates.
 *
 * @throws Error when the service has no schema; BadRequest for input that is not valid
 * @example
 * app.service('notes').hooks({ before: { create: [trimText, validate()] } })
 */
export function validate(): (context: HookContext) => Promise<void> {
  const checks = new WeakMap<object, Map<string, readonly Hook<HookContext>[]>>()

  async function validateInput(context: HookContext): Promise<void> {
    const { service, method } = context

    if (!getServiceOptions(service).schema)
      throw createError(
        'ALULA_MISSING_SCHEMA',
        `validate() needs a schema, which service '${context.path}' does not have`
      )

    const known = checks.get(service) ?? new Map<string, readonly Hook<HookContext>[]>()
    const hooks =
      known.get(method) ?? listExtensions(service).flatMap((extension) => extension.input?.(method) ?? [])

    checks.set(service, known.set(method, hooks))
    for (const check of hooks) await check.call(service, context)
  }

  return describeHook(validateInput, { input: 'here' })
}

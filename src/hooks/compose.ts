import { createError, createTypeError } from '../utils/developer-error.ts'
import { disregard } from '../utils/promise.ts'
import type { AroundHook, BaseContext, NextFunction, Pipeline } from './types.ts'

/**
 * Composes around hooks into one. The first is outermost; the last one’s `next` is the `next` of the whole.
 *
 * @param hooks Around hooks, in order
 * @throws TypeError when `hooks` is not an array of functions
 */
export function compose<C extends BaseContext>(
  hooks: readonly AroundHook<C>[]
): (context: C, next?: NextFunction) => Promise<any> {
  if (!Array.isArray(hooks)) throw createTypeError('ALULA_INVALID_HOOK', 'Middleware stack must be an array!')
  if (!hooks.every((hook) => typeof hook === 'function')) {
    throw createTypeError('ALULA_INVALID_HOOK', 'Middleware must be composed of functions!')
  }

  return (context, next) => {
    const end: Pipeline<C> = async () => next?.()

    return hooks.reduceRight(wrapAround, end)(context)
  }
}

/** Puts an around hook in front of a pipeline. A hook that throws rejects; a second `next()` rejects too. */
export function wrapAround<C extends BaseContext>(inner: Pipeline<C>, hook: AroundHook<C>): Pipeline<C> {
  return (context) => {
    let called = false

    const next = () => {
      const through = called
        ? Promise.reject(createError('ALULA_NEXT_CALLED_TWICE', 'next() called multiple times'))
        : inner(context)

      called = true
      // A hook that does not wait for it decides by itself what becomes of the call.
      disregard(through)

      return through
    }

    try {
      return Promise.resolve(hook.call(context.self, context, next))
    } catch (error) {
      return Promise.reject(error)
    }
  }
}

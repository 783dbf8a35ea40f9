import { warnOnce } from './internals.ts'
import type { HookContext } from './types.ts'

/** Warns of a call whose hooks have ended without a result. Its caller gets nothing, and an error of the method is lost. */
export function warnOfMissingResult(context: HookContext): void {
  // An error hook that takes an error back leaves it on the context, or `undefined` in its place.
  if (Object.hasOwn(context, 'result') || Object.hasOwn(context, 'error')) return

  const { app, method, path } = context

  warnOnce(
    app,
    'ALULA_NO_RESULT',
    `The hooks of '${method}' of service '${path}' ended without a result: an around hook has to wait for next(), as in 'await next()', or to set context.result if it does not call it or catches its error`,
    `ALULA_NO_RESULT ${path} ${method}`
  )
}

import { getTraits } from '../hooks/traits.ts'

declare module '../hooks/traits.ts' {
  interface Traits {
    /** Of middleware: whether it responds to every request with a 404, so that nothing after it is reached. */
    readonly isNotFound?: true
    /** Of middleware: whether it is that of `rest()`, which leaves errors to the middleware after it. */
    readonly isRest?: true
  }
}

/** The part of an Express application that has its middleware, in order. */
interface Stacked {
  readonly router?: { readonly stack?: readonly Layer[] }
}

/** A middleware of Express. */
interface Layer {
  readonly handle: { readonly length?: number }
  /** Whether it gets the requests of all paths. */
  readonly slash?: boolean
}

/** The number of parameters by which Express knows middleware that handles errors. */
const ERROR_HANDLER_LENGTH = 4

/** Warns, when `rest()` is configured, of middleware before it that responds to every request. */
export function warnOfNotFound(app: Stacked): void {
  if (!app.router?.stack?.some(({ handle, slash }) => slash && getTraits(handle).isNotFound)) return

  process.emitWarning(
    'rest() is configured after notFound(), which responds to every request with a 404: configure rest() first',
    { code: 'ALULA_CONFIGURED_TOO_LATE' }
  )
}

/** Warns, when a server has started, of errors that Express itself would respond to. */
export function warnOfMissingErrorHandler(app: Stacked): void {
  const stack = app.router?.stack ?? []
  const position = stack.findIndex(({ handle }) => getTraits(handle).isRest)

  if (position === -1 || stack.slice(position).some(({ handle }) => handle.length === ERROR_HANDLER_LENGTH))
    return

  process.emitWarning(
    'The application has no errorHandler() after rest(): Express responds to errors with HTML, in development with their stack. Register it last: app.use(errorHandler())',
    { code: 'ALULA_NO_ERROR_HANDLER' }
  )
}

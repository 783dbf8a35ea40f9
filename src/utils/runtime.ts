// What of the process is there, or not: browsers and other runtimes have none, or a part of it.
import type { ErrorCode } from './error-codes.ts'

/** Emits a warning of the process. Runtimes without such warnings have none. */
export function emitWarning(sentence: string, options: { readonly code: ErrorCode }): void {
  globalThis.process?.emitWarning?.(sentence, options)
}

/** Whether developers are helped: unless `NODE_ENV` is `production`. What errors say to clients goes by `isProduction`. */
export function helpsDevelopers(): boolean {
  return globalThis.process?.env?.NODE_ENV !== 'production'
}

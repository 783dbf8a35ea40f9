import { once } from 'node:events'
import { onTestFinished } from 'vitest'

/** Resolves to what `unhandledRejection` comes with next. Vitest, which would fail for it, does not hear of it. */
export function nextUnhandled(): Promise<unknown[]> {
  const listeners = process.listeners('unhandledRejection')

  process.removeAllListeners('unhandledRejection')
  onTestFinished(() => {
    for (const listener of listeners) process.on('unhandledRejection', listener)
  })

  return once(process, 'unhandledRejection')
}

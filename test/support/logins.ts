import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { expect } from 'vitest'

/** What a program has to be started with, with a channel, so that {@link expectSafeLogins} can ask it. */
export const LOGIN_CHECK: readonly string[] = ['--import', resolve(import.meta.dirname, 'login-check.mjs')]

/** The exit code of a program whose users were not safe when it was torn down. */
const UNSAFE = 70

/** Fails for an application of a process whose users others can read, change or remove. */
export async function expectSafeLogins(child: ChildProcess): Promise<void> {
  expect(await attackLogins(child)).toEqual([])
}

/** Attacks the users of the applications that a process runs, and returns what succeeds. */
export async function attackLogins(child: ChildProcess): Promise<readonly string[]> {
  if (!child.connected) {
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')

    return child.exitCode === UNSAFE ? ['The program says what on its standard error'] : []
  }

  return await new Promise((resolve) => {
    child.on('message', ({ faults }: { faults?: readonly string[] }) => faults && resolve(faults))
    child.once('exit', () => resolve([]))
    // It may end just now.
    child.send('check logins', (error) => error && resolve([]))
  })
}

import { on } from 'node:events'

/** Waits for a warning of the process that has this code. Others may come before it, also from tests that have ended. */
export async function nextWarning(code: string): Promise<Error> {
  for await (const [warning] of on(process, 'warning')) if (warning.code === code) return warning

  throw new Error('The warnings of a process do not end')
}

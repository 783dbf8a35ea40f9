import { describe, expect, it } from 'vitest'

/**
 * Tests that need something which may be missing, such as a server. Without it they are skipped, and say why; with
 * `CI_SERVERS=1` they fail.
 *
 * @param lack What is missing and how to get it; `undefined` when it is there
 */
export function describeUnless(lack: string | undefined, name: string, define: () => void): void {
  if (lack === undefined) describe(name, define)
  else if (process.env.CI_SERVERS === '1') it(name, () => expect.unreachable(lack))
  else describe.skip(`${name} (skipped: ${lack})`, define)
}

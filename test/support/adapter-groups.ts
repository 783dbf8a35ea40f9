import { type AdapterTestOptions, adapterTests } from 'alula-testing/adapters'
import { describe, it } from 'vitest'

/**
 * Registers a part of the suite for adapters. The whole suite runs once for an adapter and a database, and this part
 * again for what changes with other options.
 *
 * @param groups The titles of its groups
 * @param options As for `adapterTests`
 */
export function adapterGroups(groups: readonly string[], options: AdapterTestOptions): void {
  const missing = new Set(groups)

  function describeSuite(title: string, register: () => void): void {
    describe(title, () => {
      register()
      if (missing.size > 0) throw new Error(`The suite has no group '${[...missing].join("', '")}'`)
    })
  }

  adapterTests(
    {
      it,
      describe: (title, register) => {
        if (title === `the adapter ${options.name}`) describeSuite(title, register)
        else if (missing.delete(title)) describe(title, register)
      }
    },
    options
  )
}

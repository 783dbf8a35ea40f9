import { existsSync, readFileSync, rmSync } from 'node:fs'

/**
 * Reads how many tests of a run of Vitest have passed and failed, and removes the file: the next run may write none.
 *
 * @param {string} file What its reporter `json` has written
 * @returns {{ passed: number, failed: number } | undefined} `undefined` for a run that did not get as far as its tests
 */
export function readTestCounts(file) {
  if (!existsSync(file)) return undefined

  const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(file, 'utf8'))

  rmSync(file)

  return { passed: numPassedTests, failed: numFailedTests }
}

/**
 * Chooses some of the cases of a test that takes minutes, by chance. The name of the test has to name the case.
 * `npm run test:full` runs all of them.
 *
 * @param cases All of them
 * @param count How many are run
 */
export function choose<Case>(cases: readonly Case[], count: number): readonly Case[] {
  if (process.env.TEST_SCALE === '1') return cases

  const left = [...cases]

  return Array.from({ length: Math.min(count, left.length) }, () => {
    const [one] = left.splice(Math.floor(Math.random() * left.length), 1)

    return one as Case
  })
}

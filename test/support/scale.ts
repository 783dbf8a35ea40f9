/**
 * How often a random or a load test repeats. The one scale for all of them: a fiftieth of the full count by
 * default, all of it with `TEST_SCALE=1`, as `npm run test:full` has it.
 */
export function scaled(fullCount: number): number {
  return Math.ceil(fullCount * Number(process.env.TEST_SCALE ?? 0.02))
}

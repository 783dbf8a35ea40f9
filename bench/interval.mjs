/**
 * An interval that holds the true median with a probability of 80 % at least, from the order of the values: as many are
 * below the median as a coin falls on one side.
 *
 * @param {readonly number[]} values
 * @param {number} [confidence]
 * @returns {readonly [low: number, high: number]}
 */
export function toMedianInterval(values, confidence = 0.8) {
  const sorted = [...values].sort((a, b) => a - b)
  const { length } = sorted
  /** How many values are outside of the interval on each side. */
  let outside = 0
  /** The probability that exactly this many values are below the median. */
  let probability = 0.5 ** length
  let missed = 2 * probability

  while (missed <= 1 - confidence) {
    outside++
    probability *= (length - outside + 1) / outside
    missed += 2 * probability
  }

  // With the last step too much would be missed.
  const index = Math.max(outside - 1, 0)

  return [sorted[index], sorted[length - 1 - index]]
}

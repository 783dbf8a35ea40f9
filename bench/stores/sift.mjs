// A filter over an array, as in mingo.mjs; it does not sort, so that is written by hand.
import sift from 'sift'

export function createStore(records) {
  return {
    find({ $sort, $limit, ...conditions }) {
      const matches = records.filter(sift(conditions))

      if ($sort) matches.sort(toComparator($sort))

      return { total: matches.length, data: matches.slice(0, $limit) }
    }
  }
}

/** For one field of numbers. */
function toComparator($sort) {
  const [[field, direction]] = Object.entries($sort)

  return (a, b) => (a[field] - b[field]) * direction
}

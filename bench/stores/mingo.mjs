// A filter over an array: no store, so there is nothing to get or to write. It returns the records themselves.
import { Query } from 'mingo'

export function createStore(records) {
  return {
    find({ $sort, $limit, ...conditions }) {
      const cursor = new Query(conditions).find(records)
      const matches = ($sort ? cursor.sort($sort) : cursor).all()

      return { total: matches.length, data: matches.slice(0, $limit) }
    }
  }
}

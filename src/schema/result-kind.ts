// What custom methods return, as far as the envelope of their responses depends on it.
import { getProperties, getTypes, isAnything, type JsonSchema, mayBeSomething } from './json-schema.ts'
import { isPageField } from './page.ts'
import { readShape } from './shape.ts'

/** What a result is. */
type ResultKind = 'one' | 'list' | 'page' | 'unknown'

/** What the result of a custom method is, by its schema. */
export function toResultKind(result: JsonSchema): ResultKind {
  const shape = readShape(result)
  const kinds = new Set(shape.alternatives.filter(mayBeSomething).map(toKind))
  const [only = 'one', ...others] = kinds

  return others.length > 0 ? 'unknown' : only
}

function toKind(part: JsonSchema): ResultKind {
  if (isAnything(part)) return 'unknown'
  if (getTypes(part).includes('array')) return 'list'

  const fields = [...getProperties(part).keys()]
  const isPage = ['data', 'limit', 'skip'].every((name) => fields.includes(name))

  // What has further fields is no page: an envelope has no place for them.
  return isPage && fields.every(isPageField) ? 'page' : 'one'
}

// JSON has no dates: a client sends the string of one, in the form that JSON has for it. What a schema declares as a date
// becomes one before the library checks it.
import { isDay, toExactDate } from '../query/coerce.ts'
import { DATE_KEYWORD, getTypes, hasKeyword, type JsonSchema } from './json-schema.ts'
import { compileVisit, type Visit } from './visit.ts'

/** Longer paths are no fields of an application, and each string below a long name would take as much memory as the name. */
const MAX_PATH = 1000

/**
 * Prepares a function that turns strings into dates where a schema declares dates, at any depth: times in ISO 8601 with a
 * zone. A value that may be a string too stays one. It notes the paths of the strings that should be dates and are none.
 */
export function compileDates(schema: JsonSchema): Visit<Set<string>> {
  if (!hasKeyword(schema, [DATE_KEYWORD])) return (value) => value

  return compileVisit<Set<string>>(schema, {
    toScalar: ({ alternatives }) =>
      alternatives.some((part) => part[DATE_KEYWORD]) && !alternatives.some(canBeString) ? toDate : undefined
  })
}

const toDate: Visit<Set<string>> = (value, path, unfit) => {
  if (typeof value !== 'string') return value

  const date = isDay(value) ? undefined : toExactDate(value)

  if (!date && path.length <= MAX_PATH) unfit.add(path.slice(0, -1))

  return date ?? value
}

/** Whether a value may be a string that is no date. */
function canBeString(part: JsonSchema): boolean {
  // A column takes the strings of its dates itself, days among them, with all their digits.
  if (part[DATE_KEYWORD]) return part.format === 'date'

  const types = getTypes(part)
  const isAnything = types.length === 0 && !part.properties && !part.items && part.const === undefined

  return types.includes('string') || isAnything
}

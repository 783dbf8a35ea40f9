import type { Id, Query } from '../core/types.ts'
import { NotFound } from '../errors.ts'
import { toExactBoolean, toExactDate, toExactNumber } from '../query/coerce.ts'
import {
  CURSOR_FILTERS,
  describeValue,
  FIELD_OPERATORS,
  isOperator,
  LIST_OPERATORS,
  LOGICAL_OPERATORS,
  NULL_OPERATOR,
  RESULT_FILTERS
} from '../query/operators.ts'
import { QUERY_DEPTH } from '../query/parse.ts'
import { didYouMean } from '../utils/did-you-mean.ts'
import { isEmpty, isPlainObject, setOwn } from '../utils/object.ts'
import { expectOneOf, type Fault, MAX_FAULTS, toBadRequest } from './faults.ts'
import { type Field, type FieldKind, type FieldTable, findListed, toExpectation } from './fields.ts'

/** What clients may ask for. */
export interface QueryRules {
  /** The fields that may be filtered by. */
  readonly fields: FieldTable
  /** The fields that may be sorted by. */
  readonly sort: readonly string[]
  /** The names that `$select` may hold. */
  readonly selectable: readonly string[]
  /** The operators that may be used; all when left out. */
  readonly operators?: readonly string[] | undefined
  /** Names at the top that the service gives a meaning of its own. */
  readonly further: readonly string[]
  /** What the service makes of a value of `$sort` or `$select` in a form of its own. */
  readonly convertSetting: (name: string, value: unknown) => unknown
  /** Whether the service offers `$contains`, which an error may name. */
  readonly hasContains: boolean
}

/**
 * Checks the query of a client, which is not changed, and converts its values. `isUrl`: whether it comes from a URL, where a
 * list of one is written like a value. Throws BadRequest for fields, operators and values that the rules do not allow.
 */
export type QueryCheck = (query: Query, isUrl: boolean) => Query | Promise<Query>

/** A value that cannot be that of a field. */
const NO_MATCH: unique symbol = Symbol('no match')

const ORDERING: readonly string[] = ['$lt', '$lte', '$le', '$gt', '$gte', '$ge']

/** Names at the top that are no operators. */
const RESULTS: readonly string[] = Object.keys({ ...RESULT_FILTERS, ...CURSOR_FILTERS })

/** Names at the top whose values name fields. A service cannot take them out of the check. */
const CHECKED: readonly string[] = [...RESULTS, ...LOGICAL_OPERATORS, '$not']

/**
 * Prepares the check of queries. The shape of a query is left to the adapter: what is malformed passes as it is, unless
 * it names a field or a value that the rules do not allow.
 */
export function compileQuery(rules: QueryRules): QueryCheck {
  const prepared = prepareRules(rules)

  return (query, isUrl) => (isEmpty(query) ? query : new QueryRun(prepared, isUrl).check(query))
}

/** The rules, prepared for all queries. */
type PreparedRules = ReturnType<typeof prepareRules>

function prepareRules(rules: QueryRules) {
  const { fields, sort, selectable, operators, further, convertSetting, hasContains } = rules

  return {
    converters: new Map([...fields].map(([path, field]) => [path, compileField(field, hasContains)])),
    /** For the elements of lists. */
    elements: new Map(
      [...fields].flatMap(([path, { elements }]) => (elements ? [[path, compileField(elements)]] : []))
    ),
    sorted: new Set(sort),
    selected: new Set(selectable),
    operators: operators && new Set([...operators, '$and', '$or']),
    further: further.filter((name) => !CHECKED.includes(name)),
    convertSetting
  }
}

/** One check of a query. */
class QueryRun {
  private readonly rules: PreparedRules
  private readonly isUrl: boolean
  private readonly faults: Fault[] = []

  constructor(rules: PreparedRules, isUrl: boolean) {
    this.rules = rules
    this.isUrl = isUrl
  }

  check(query: Query): Query {
    const checked = this.checkLevel(query, 1)

    if (this.faults.length > 0) throw toBadRequest('query', this.faults)

    return checked
  }

  private checkLevel(query: Query, depth: number): Query {
    // Own symbols are those of hooks and adapters.
    const copy: Query = { ...query }

    if (depth > QUERY_DEPTH) {
      this.refuse('', () => `expected at most ${QUERY_DEPTH} levels`)

      return copy
    }

    for (const name of Object.keys(query)) {
      if (depth > 1 || !this.rules.further.includes(name)) {
        setOwn(copy, name, this.checkEntry(name, query[name], depth))
      }
    }

    return copy
  }

  private checkEntry(name: string, value: unknown, depth: number): unknown {
    if (!name.startsWith('$')) return this.checkField(name, value, depth)
    if (!RESULTS.includes(name)) this.checkOperator(name, name)
    if (LOGICAL_OPERATORS.includes(name) && Array.isArray(value)) {
      return value.map((part) => (isPlainObject(part) ? this.checkLevel(part, depth + 1) : part))
    }
    if (name === '$not' && isPlainObject(value)) return this.checkLevel(value, depth + 1)
    // What a client sends is checked, and not what the service adds to it.
    if (name === '$sort')
      this.checkSort(isPlainObject(value) ? value : this.rules.convertSetting(name, value))
    if (name === '$select') {
      this.checkSelect(Array.isArray(value) ? value : this.rules.convertSetting(name, value))
    }

    return value
  }

  private checkField(path: string, value: unknown, depth: number): unknown {
    const { converters } = this.rules
    const convert = converters.get(path)

    if (!convert) {
      this.refuse(path, () => describeUnknown(path, [...converters.keys()]))

      return value
    }
    if (!isPlainObject(value)) return this.convert(path, convert, '$eq', value)

    const copy: Query = {}

    for (const operator of Object.keys(value)) {
      setOwn(copy, operator, this.checkComparison(path, convert, operator, value[operator], depth))
    }

    return copy
  }

  private checkComparison(
    path: string,
    convert: Convert,
    operator: string,
    value: unknown,
    depth: number
  ): unknown {
    this.checkOperator(operator, path)
    if (operator === '$not' && depth < QUERY_DEPTH) return this.checkField(path, value, depth + 1)

    if (operator === NULL_OPERATOR) this.convert(path, convert, operator, null)

    const known = FIELD_OPERATORS.get(operator)

    if (known) return this.convertAll(path, convert, operator, value, known.list)

    const ofElements = this.rules.elements.get(path)

    // Operators of the service itself take what they take.
    return ofElements && LIST_OPERATORS.includes(operator)
      ? this.convertAll(path, ofElements, operator, value, operator === '$overlaps')
      : value
  }

  private convertAll(
    path: string,
    convert: Convert,
    operator: string,
    value: unknown,
    takesList: boolean
  ): unknown {
    if (!takesList) return this.convert(path, convert, operator, value)

    const list = this.isUrl && typeof value === 'string' ? [value] : value

    return Array.isArray(list) ? list.map((element) => this.convert(path, convert, operator, element)) : list
  }

  private convert(path: string, convert: Convert, operator: string, value: unknown): unknown {
    const converted = convert(value, operator)

    if ('value' in converted) return converted.value

    this.refuse(path, converted.toFault)

    return value
  }

  private checkOperator(operator: string, path: string): void {
    const { operators } = this.rules

    if (!operators || operators.has(operator)) return

    this.refuse(path, () => {
      const hint = isOperator(operator) ? '' : didYouMean(operator, [...operators])

      return `cannot be queried with ${operator}${hint}`
    })
  }

  private checkSort(value: unknown): void {
    if (!isPlainObject(value)) return

    const { sorted } = this.rules

    for (const path of Object.keys(value)) {
      if (!sorted.has(path)) {
        this.refuse(path, () => `is not a field to sort by${didYouMean(path, [...sorted])}`)
      }
    }
  }

  private checkSelect(value: unknown): void {
    const { selected } = this.rules

    for (const path of [value].flat()) {
      // `?$select=` of a form that is left empty.
      if (path === '') {
        this.refuse('$select', () => 'expects names of fields, got an empty string')
      } else if (typeof path === 'string' && !selected.has(path)) {
        this.refuse(path, () => `is not a field to select${didYouMean(path, [...selected])}`)
      }
    }
  }

  /** Makes only the messages that the error shows: a suggestion is looked for among all fields. */
  private refuse(path: string, toMessage: () => string): void {
    if (this.faults.length < MAX_FAULTS) this.faults.push({ path, message: toMessage() })
  }
}

/**
 * Converts an id that a client sent: a string becomes what the id field is. Where the record declares none, it stays as it is.
 * Throws NotFound for what can be no id.
 */
export function toId(id: Id, field: Field | undefined): Id {
  const kinds = field?.kinds ?? ['any']

  if (typeof id !== 'string' && typeof id !== 'number') return id
  if (kinds.includes('any')) return id
  if (kinds.includes('string')) return typeof id === 'number' && !isNumeric(kinds) ? String(id) : id

  const value = convertScalar(id, kinds)

  if (value === NO_MATCH) throw new NotFound(`No record found for id '${id}'`)

  return value as Id
}

/** Converts a value for an operator. */
type Convert = (
  value: unknown,
  operator: string
) => { readonly value: unknown } | { readonly toFault: () => string }

function compileField({ kinds, isNullable, values }: Field, hasContains = false): Convert {
  const expected = toExpectation(kinds, isNullable)
  // Objects in a list are compared with nothing.
  const isOpen = kinds.length === 0 || kinds.includes('any')
  const listHint = hasContains ? ": use '$contains'" : ''

  return (value, operator) => {
    // Shapes are for the adapter, which refuses them.
    if (Array.isArray(value) || isPlainObject(value) || isOpen) return { value }
    if (value === null && isNullable) return { value }
    // A URL has no null, and no such field has the empty string.
    if (value === '' && isNullable && values && !values.includes('')) return { value: null }
    if (kinds.includes('list')) return { toFault: () => `is a list, which cannot be compared${listHint}` }

    const isText = kinds.includes('string')
    const converted = value === '' && isNullable && !isText ? null : convertScalar(value, kinds)

    if (converted === NO_MATCH) return { toFault: () => `expects ${expected}, got ${describeValue(value)}` }
    if (values && converted !== null && !ORDERING.includes(operator) && !values.includes(converted)) {
      // It was left a string because the list has strings as well.
      const listed = typeof converted === 'string' ? findListed(values, converted) : undefined

      if (listed !== undefined) return { value: listed }

      return { toFault: () => expectOneOf(values) }
    }

    return { value: converted }
  }
}

function convertScalar(value: unknown, kinds: readonly FieldKind[]): unknown {
  switch (typeof value) {
    case 'string':
      return convertText(value, kinds)
    case 'number':
      return kinds.includes('number') || (kinds.includes('integer') && Number.isInteger(value))
        ? value
        : NO_MATCH
    case 'bigint':
      return isNumeric(kinds) ? value : NO_MATCH
    case 'boolean':
      return kinds.includes('boolean') ? value : NO_MATCH
    default:
      return value instanceof Date && kinds.includes('date') ? value : NO_MATCH
  }
}

/** A field that may be a string too is compared with both by the adapter. */
function convertText(value: string, kinds: readonly FieldKind[]): unknown {
  if (kinds.includes('string')) return value

  const number = isNumeric(kinds) ? toExactNumber(value) : undefined

  if (number !== undefined && (kinds.includes('number') || Number.isInteger(number))) return number
  if (kinds.includes('boolean')) return toExactBoolean(value) ?? toDate(value, kinds)

  return toDate(value, kinds)
}

function toDate(value: string, kinds: readonly FieldKind[]): unknown {
  return (kinds.includes('date') ? toExactDate(value) : undefined) ?? NO_MATCH
}

function isNumeric(kinds: readonly FieldKind[]): boolean {
  return kinds.includes('number') || kinds.includes('integer')
}

/** What is said of a path that is none of those that can be queried. */
export function describeUnknown(path: string, known: readonly string[]): string {
  const within = known.find((name) => name.startsWith(`${path}.`))

  if (within !== undefined) return `is not a field that can be queried: write '${within}'`

  const others = known.filter((name) => name !== path)

  return `is not a field that can be queried${didYouMean(path, [...others, ...Object.keys(RESULT_FILTERS)])}`
}

import { BadRequest } from '../errors.ts'
import { didYouMean } from '../utils/did-you-mean.ts'
import { copyPlain, isPlainObject } from '../utils/object.ts'
import type { Condition, CursorQuery, FieldCondition, ParsedQuery, Path, Sort } from './ast.ts'
import { toExactBoolean, toExactNumber } from './coerce.ts'
import {
  assertList,
  assertValue,
  CURSOR_FILTERS,
  describeValue,
  FIELD_OPERATORS,
  type FieldOperator,
  isOperator,
  LOGICAL_OPERATORS,
  NULL_OPERATOR,
  OPTIONAL_OPERATORS,
  PATTERN_OPERATORS,
  parseNullTest,
  RESULT_FILTERS
} from './operators.ts'
import { Operand } from './related.ts'

/** Converts the value of a further top-level name; `undefined` drops it. */
export type FilterConverter = (value: any, options: QueryOptions) => unknown

/** Which names a query may use beyond those that always count. */
export interface QueryOptions {
  /** Operators: `$not` and `$nor`, and names that the adapter gives a meaning. */
  readonly operators?: readonly string[]
  /** Further top-level names: `true` to let one pass, a function to convert it, `undefined` to refuse it. */
  readonly filters?: { readonly [name: string]: FilterConverter | true | undefined }
  /** Lets every operator pass, for a query that a schema has checked. */
  readonly trusted?: boolean
  /** Whether pages have cursors: then `$after`, `$before` and `$total` count, and `$skip` does not. */
  readonly cursor?: boolean
  [key: string]: any
}

const NO_SORT: readonly Sort[] = Object.freeze([])

/** How deep operators may nest, and how many names a path may have. More is no query of an application. */
export const QUERY_DEPTH = 50

/** How many fields a query may sort by. Each is read for every record, whatever the page is. */
const MAX_SORT_FIELDS = 50

/**
 * How long a pattern may be, how many a query may have, and how long they may be together: each is compared with every
 * record. SQLite takes as many steps as both lengths multiplied, and the patterns of memory services take fewer (`like.ts`).
 */
const MAX_PATTERN_LENGTH = 100
const MAX_PATTERNS = 20
const MAX_PATTERN_CHARACTERS = 1_000

/**
 * Checks a query and turns it into one shape. After this, adapters read the tree and never the query.
 *
 * @param query The loose object, as it came from a client or from code
 * @param options The operators and top-level names that the service allows
 * @throws BadRequest for anything malformed; the message names the operator and what it expects
 */
export function parseQuery(query: unknown, options: QueryOptions = {}): ParsedQuery {
  const source = query ?? {}

  if (!isPlainObject(source))
    throw new BadRequest(`Invalid query: expected an object, got ${describeValue(source)}`)

  const converters = toConverters(options)
  const { $limit, $skip, $sort, $select, $after, $before, $total, ...filters } = parseFilters(
    source,
    converters,
    options
  )
  const where = parseConditions(source, converters, options, 1)

  if (PATTERN_OPERATORS.some((name) => isAllowed(name, options))) assertPatterns(where)

  return Object.freeze({
    where,
    sort: parseSort($sort),
    limit: parseCount('$limit', $limit),
    skip: parseCount('$skip', $skip) ?? 0,
    select: parseSelect($select),
    filters: Object.freeze(filters),
    cursor: options.cursor ? parseCursors($after, $before, $total) : undefined
  })
}

type Converters = ReadonlyMap<string, FilterConverter | true>

const NO_CONVERTERS: Converters = new Map()

const USUAL_CONVERTERS: Converters = new Map(Object.entries(RESULT_FILTERS))

const CURSOR_CONVERTERS: Converters = new Map(
  Object.entries({ ...RESULT_FILTERS, ...CURSOR_FILTERS }).filter(([name]) => name !== '$skip')
)

/** The names at the top that are no conditions. */
function toConverters({ filters, cursor }: QueryOptions): Converters {
  const entries = Object.entries(filters ?? {})
  const usual = cursor ? CURSOR_CONVERTERS : USUAL_CONVERTERS

  if (entries.length === 0) return usual

  const converters = new Map(usual)

  for (const [name, converter] of entries) {
    // The logical operators are among the filters of Feathers v5, where `undefined` forbids one.
    if (converter === undefined) converters.delete(name)
    else if (!LOGICAL_OPERATORS.includes(name)) converters.set(name, converter)
  }

  return converters
}

function parseFilters(
  source: Record<string, unknown>,
  converters: Converters,
  options: QueryOptions
): Record<string, unknown> {
  const filters: Record<string, unknown> = {}

  for (const [name, converter] of converters) {
    if (!Object.hasOwn(source, name)) continue

    assertNoOperators(source[name], options)

    const value = converter === true ? source[name] : converter(source[name], options)

    if (value !== undefined) filters[name] = freezeCopy(value)
  }

  return filters
}

/** All entries of one level must hold. */
function parseConditions(
  source: Record<string, unknown>,
  converters: Converters,
  options: QueryOptions,
  depth: number
): Condition {
  assertDepth(depth)

  const conditions: Condition[] = []

  for (const name of Object.keys(source)) {
    if (!converters.has(name)) conditions.push(parseEntry(name, source[name], converters, options, depth))
  }

  return and(conditions)
}

function parseEntry(
  name: string,
  value: unknown,
  converters: Converters,
  options: QueryOptions,
  depth: number
): Condition {
  if (!name.startsWith('$')) return parseField(name, value, options, depth)
  if (name === '$not' && isAllowed(name, options)) return not(parseNested(name, value, options, depth))

  if (!LOGICAL_OPERATORS.includes(name) || !isAllowed(name, options)) {
    const logical = LOGICAL_OPERATORS.filter((operator) => isAllowed(operator, options))

    throw toRefusal(name, options, [...converters.keys(), ...logical])
  }
  if (!Array.isArray(value)) {
    throw new BadRequest(`Invalid query: '${name}' expects an array of queries, got ${describeValue(value)}`)
  }

  const conditions = value.map((element) => parseNested(name, element, options, depth))

  if (name === '$and') return and(conditions)

  const either: Condition = Object.freeze({ kind: 'or', conditions: Object.freeze(conditions) })

  return name === '$nor' ? not(either) : either
}

function parseNested(name: string, value: unknown, options: QueryOptions, depth: number): Condition {
  if (!isPlainObject(value)) {
    throw new BadRequest(`Invalid query: '${name}' expects a query, got ${describeValue(value)}`)
  }

  return parseConditions(value, NO_CONVERTERS, options, depth + 1)
}

function parseField(field: string, value: unknown, options: QueryOptions, depth: number): Condition {
  assertDepth(depth)

  const path = parsePath(field)

  if (!isPlainObject(value)) {
    assertValue(field, value)

    return Object.freeze({ kind: 'compare', path, operator: 'eq', value })
  }

  const names = Object.keys(value)

  if (names.length === 0) {
    throw new BadRequest(`Invalid query: '${field}' expects a value or operators, got {}`)
  }

  return and(names.map((name) => parseOperator(field, path, name, value[name], options, depth)))
}

function parseOperator(
  field: string,
  path: Path,
  name: string,
  value: unknown,
  options: QueryOptions,
  depth: number
): Condition {
  const operator = FIELD_OPERATORS.get(name)

  if (operator) return parseComparison(path, name, value, operator)

  if (name === NULL_OPERATOR) {
    const comparison = parseNullTest(value) ? 'eq' : 'ne'

    return Object.freeze({ kind: 'compare', path, operator: comparison, value: null })
  }
  if (!name.startsWith('$')) {
    const hint = FIELD_OPERATORS.has(`$${name}`)
      ? `Did you mean '$${name}'?`
      : `For a nested field use '${field}.${name}'`

    throw new BadRequest(`Invalid query: '${field}' expects a value or operators. ${hint}`)
  }
  if (!isAllowed(name, options) || LOGICAL_OPERATORS.includes(name)) {
    throw toRefusal(name, options, [...FIELD_OPERATORS.keys(), NULL_OPERATOR, ...(options.operators ?? [])])
  }
  if (name === '$not') return not(parseField(field, value, options, depth + 1))

  assertNoOperators(value, options)

  return Object.freeze({ kind: 'custom', path, operator: name as `$${string}`, value: freezeCopy(value) })
}

/** What a field is compared with; it throws BadRequest for a value that the operator with this name does not take. */
export function parseComparison(
  path: Path,
  name: string,
  value: unknown,
  { comparison, list }: FieldOperator
): FieldCondition {
  if (list) assertList(name, value)
  else assertValue(name, value)

  // What stands for the values of related records is none of them yet.
  const operand = value instanceof Operand ? value : freezeCopy(value)

  return Object.freeze({ kind: 'compare', path, operator: comparison, value: operand })
}

/** The error for a name that has no meaning here, with a hint where it has one elsewhere, or one letter is wrong. */
function toRefusal(name: string, options: QueryOptions, known: readonly string[]): BadRequest {
  const message = `Invalid query parameter ${name}`

  if (name === '$skip' && options.cursor)
    return new BadRequest(`${message}: pages have cursors, '$after' is for the next one`)
  if (!isOperator(name)) return new BadRequest(`${message}${name.length > 2 ? didYouMean(name, known) : ''}`)
  if (!OPTIONAL_OPERATORS.includes(name) || isAllowed(name, options)) return new BadRequest(message)

  return new BadRequest(`${message}: the service does not list it in 'operators'`)
}

/** Refuses operators that are not allowed, in a value whose shape is not known here. */
function assertNoOperators(value: unknown, options: QueryOptions, depth = 1): void {
  if (!Array.isArray(value) && !isPlainObject(value)) return

  assertDepth(depth)

  for (const [name, nested] of Object.entries(value)) {
    const isKnown =
      !name.startsWith('$') || FIELD_OPERATORS.has(name) || name === NULL_OPERATOR || isAllowed(name, options)

    if (!isKnown) throw new BadRequest(`Invalid query parameter ${name}`)

    assertNoOperators(nested, options, depth + 1)
  }
}

function assertDepth(depth: number): void {
  if (depth > QUERY_DEPTH) throw new BadRequest(`Invalid query: expected at most ${QUERY_DEPTH} levels`)
}

/** A name of a field is no operator, nor is a part of it. */
function parsePath(field: string): Path {
  const path = field.split('.')

  assertDepth(path.length)
  if (path.some((name) => name.startsWith('$'))) throw new BadRequest(`Invalid query parameter ${field}`)

  return Object.freeze(path)
}

function isAllowed(name: string, { operators = [], filters = {}, trusted = false }: QueryOptions): boolean {
  if (Object.hasOwn(filters, name) && filters[name] === undefined) return false

  return trusted || name === '$and' || name === '$or' || operators.includes(name)
}

/** Refuses patterns that would take long. What a pattern is, an adapter says. */
function assertPatterns(where: Condition): void {
  const patterns = [...findPatterns(where)]
  const length = patterns.reduce((sum, { value }) => sum + value.length, 0)
  const long = patterns.find(({ value }) => value.length > MAX_PATTERN_LENGTH)

  if (long) {
    throw new BadRequest(
      `Invalid query: '${long.operator}' expects a pattern of at most ${MAX_PATTERN_LENGTH} characters`
    )
  }
  if (patterns.length > MAX_PATTERNS) {
    throw new BadRequest(`Invalid query: expected at most ${MAX_PATTERNS} patterns`)
  }
  if (length > MAX_PATTERN_CHARACTERS) {
    throw new BadRequest(
      `Invalid query: expected at most ${MAX_PATTERN_CHARACTERS} characters in all patterns together`
    )
  }
}

function* findPatterns(condition: Condition): Iterable<{ operator: string; value: string }> {
  if (condition.kind === 'not') yield* findPatterns(condition.condition)
  if (condition.kind === 'and' || condition.kind === 'or') {
    for (const part of condition.conditions) yield* findPatterns(part)
  }
  if (condition.kind === 'custom' && PATTERN_OPERATORS.includes(condition.operator)) {
    const { operator, value } = condition

    if (typeof value === 'string') yield { operator, value }
  }
}

function parseSort($sort: unknown): readonly Sort[] {
  if ($sort === undefined) return NO_SORT
  if (!isPlainObject($sort)) {
    throw new BadRequest(
      `Invalid query: '$sort' expects an object of fields with 1 or -1, got ${describeValue($sort)}`
    )
  }

  const fields = Object.entries($sort)

  if (fields.length > MAX_SORT_FIELDS) {
    throw new BadRequest(`Invalid query: '$sort' expects at most ${MAX_SORT_FIELDS} fields`)
  }

  return Object.freeze(fields.map(([field, direction]) => parseDirection(field, direction)))
}

function parseDirection(field: string, direction: unknown): Sort {
  if (!['1', '-1', 1, -1].includes(direction as string)) {
    throw new BadRequest(`Invalid query: '$sort' expects 1 or -1 for '${field}'`)
  }

  return Object.freeze({ path: parsePath(field), direction: Number(direction) as 1 | -1 })
}

function parseCursors($after: unknown, $before: unknown, $total: unknown): CursorQuery {
  const total = typeof $total === 'string' ? toExactBoolean($total) : ($total ?? false)

  for (const [name, value] of Object.entries({ $after, $before })) {
    if (value === undefined || typeof value === 'string') continue

    throw new BadRequest(`Invalid query: '${name}' expects a cursor of a page, got ${describeValue(value)}`)
  }
  if (typeof total !== 'boolean') {
    throw new BadRequest(`Invalid query: '$total' expects true or false, got ${describeValue($total)}`)
  }

  return Object.freeze({ after: $after as string | undefined, before: $before as string | undefined, total })
}

function parseCount(name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined

  const count = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value

  if (!Number.isSafeInteger(count) || (count as number) < 0) {
    throw new BadRequest(
      `Invalid query: '${name}' expects a whole number from 0, got ${describeCount(value)}`
    )
  }

  return count as number
}

/** That it is a number is not what is wrong with `-1`. */
function describeCount(value: unknown): string {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)

  return typeof value === 'string' && toExactNumber(value) !== undefined ? `"${value}"` : describeValue(value)
}

function parseSelect($select: unknown): readonly string[] | undefined {
  if ($select === undefined) return undefined

  const fields: unknown[] = Array.isArray($select) ? $select : [$select]

  for (const field of fields) {
    if (typeof field !== 'string') {
      throw new BadRequest(`Invalid query: '$select' expects names of fields, got ${describeValue(field)}`)
    }
    parsePath(field)
  }

  return Object.freeze([...fields] as string[])
}

/** Conditions that must all hold, without the levels and the single elements that mean nothing. */
function and(conditions: readonly Condition[]): Condition {
  if (conditions.length === 1) return conditions[0] as Condition

  const flat = conditions.flatMap((condition) =>
    condition.kind === 'and' ? condition.conditions : [condition]
  )

  return flat.length === 1
    ? (flat[0] as Condition)
    : Object.freeze({ kind: 'and', conditions: Object.freeze(flat) })
}

function not(condition: Condition): Condition {
  return Object.freeze({ kind: 'not', condition })
}

/** What happens to the query afterwards must not reach the tree. */
function freezeCopy<T>(value: T): T {
  return copyPlain(value, Object.freeze)
}

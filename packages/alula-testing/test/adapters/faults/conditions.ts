import { memory } from '../../../../../src/memory.ts'
import { parseQuery, toPredicate } from '../../../../../src/query.ts'
import { type Fault, faulty, hasValue, misread, misreadComparison } from './fault.ts'

/** Faults of conditions. */
export const conditionFaults: readonly Fault[] = [
  faulty(
    'a text for $in is a list of one',
    '{"name":{"$in":"Ada"}} is a BadRequest that names $in',
    ({ find }) => ({
      find: (params: any = {}) => {
        const { name } = params.query ?? {}

        if (typeof name?.$in !== 'string') return find(params)

        return find({ ...params, query: { ...params.query, name: { $in: [name.$in] } } })
      }
    })
  ),
  faulty('$null finds missing fields alone', '$null of true finds null and missing', ({ find }) => ({
    find: async (params: any = {}) => {
      const found = await find(params)

      return params.query?.age?.$null === true ? found.filter((record: any) => !('age' in record)) : found
    }
  })),
  {
    does: 'strings have elements',
    breaks: '$not of $contains finds all others, what is no list too',
    create: (options) =>
      memory({
        ...options,
        predicates: {
          $contains: (value) => (field: any) =>
            Array.isArray(field) ? field.includes(value) : field === value
        }
      })
  },
  faulty(
    'operators that it does not know are dropped',
    '$regex is refused in {"name":{"$regex":"A"}}',
    ({ find }) => ({
      find: (params: any = {}) => {
        const query = structuredClone(params.query ?? {})

        if (Object.hasOwn(query.name ?? {}, '$regex')) delete query.name

        return find({ ...params, query })
      }
    })
  ),
  faulty(
    'a condition with undefined is dropped',
    'undefined in a condition means null, and never everything',
    ({ find }) => ({
      find: (params: any = {}) => {
        const isGiven = ([, value]: [string, unknown]) => value !== undefined

        return find({
          ...params,
          query: Object.fromEntries(Object.entries(params.query ?? {}).filter(isGiven))
        })
      }
    })
  ),
  {
    does: 'capitals are no different',
    breaks: 'text is equal when every character is',
    create: (options) =>
      memory({
        ...options,
        matcher: (query) => {
          const lower = (value: object) => JSON.parse(JSON.stringify(value).toLowerCase())
          const matches = toPredicate(parseQuery(lower(query)).where)

          return (record) => matches(lower(record))
        }
      })
  },
  misreadComparison(
    '$ne leaves out null, as SQL does',
    '$ne finds all others, null and missing too',
    (condition) =>
      condition.operator === 'ne' && condition.value !== null
        ? { kind: 'and', conditions: [condition, hasValue(condition.path)] }
        : condition
  ),
  misreadComparison(
    '$nin leaves out null, as SQL does',
    '$nin finds all others, null and missing too',
    (condition) =>
      condition.operator === 'nin'
        ? { kind: 'and', conditions: [condition, hasValue(condition.path)] }
        : condition
  ),
  misreadComparison('$in does not know null', '$in with null finds null and missing too', (condition) =>
    condition.operator === 'in'
      ? { kind: 'and', conditions: [condition, hasValue(condition.path)] }
      : condition
  ),
  misreadComparison('$in of nothing is no condition', '$in of nothing finds nothing', (condition) =>
    condition.operator === 'in' && (condition.value as any[]).length === 0
      ? { kind: 'and', conditions: [] }
      : condition
  ),
  misreadComparison(
    '$lte is $lt',
    '$lte finds what is less or equal, and never null or missing',
    (condition) => (condition.operator === 'lte' ? { ...condition, operator: 'lt' } : condition)
  ),
  misreadComparison(
    'null is less than every number',
    '$lt finds what is less, and never null or missing',
    (condition) =>
      condition.operator === 'lt'
        ? { kind: 'or', conditions: [condition, { ...condition, operator: 'eq', value: null }] }
        : condition
  ),
  misreadComparison(
    'a number equals the text that it is written as',
    'a number, a boolean or a date never finds a string',
    (condition) =>
      condition.operator === 'eq' && typeof condition.value === 'number'
        ? { ...condition, operator: 'in', value: [condition.value, String(condition.value)] }
        : condition
  ),
  misreadComparison(
    'a string only equals strings',
    'a string that is exactly how a number is written finds the number',
    (condition) =>
      typeof condition.value === 'string' && /^[\d.-]+$/.test(condition.value)
        ? { ...condition, value: `${condition.value} ` }
        : condition
  ),
  misreadComparison(
    'a string is any number that it can be converted to',
    'a string that is exactly how a number is written finds the number',
    (condition) =>
      condition.operator === 'eq' && typeof condition.value === 'string' && condition.value.trim() !== ''
        ? {
            ...condition,
            value: Number.isNaN(Number(condition.value)) ? condition.value : Number(condition.value)
          }
        : condition
  ),
  misread('$or of nothing is no condition', '$or of nothing finds nothing', (condition) =>
    condition.kind === 'or' && condition.conditions.length === 0 ? { kind: 'and', conditions: [] } : condition
  ),
  misread(
    'the conditions beside $or are forgotten',
    'a condition beside $or must hold as well',
    (condition) =>
      condition.kind === 'and'
        ? (condition.conditions.find(({ kind }) => kind === 'or') ?? condition)
        : condition
  ),
  misreadComparison('dotted names are names', 'a dotted name leads to a field of an object', (condition) => ({
    ...condition,
    path: [condition.path.join('.')]
  }))
]

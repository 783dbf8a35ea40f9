export type { Comparison, Condition, ParsedQuery, Path, Sort } from './query/ast.ts'
export { type Comparator, toComparator } from './query/comparator.ts'
export { compareAny, isEqual } from './query/compare.ts'
export { PATTERN_PREDICATES } from './query/like.ts'
export {
  FIELD_OPERATORS,
  LIST_OPERATORS,
  LOGICAL_OPERATORS,
  NULL_OPERATOR,
  PATTERN_OPERATORS,
  RESULT_FILTERS
} from './query/operators.ts'
export { type FilterConverter, parseQuery, QUERY_DEPTH, type QueryOptions } from './query/parse.ts'
export { type CustomPredicates, type Predicate, toPredicate } from './query/predicate.ts'
export { toSelection } from './query/select.ts'

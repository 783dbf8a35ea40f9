// `alula/query`: conditions and orders are compiled for records.
import { type Comparator, type Predicate, parseQuery, toComparator, toPredicate } from '../../src/query.ts'
import { expectType } from '../support/expect-type.ts'

const { where, sort } = parseQuery({ title: 'a', $sort: { title: 1 } })

expectType<Predicate>().of(toPredicate(where, {}))
expectType<Comparator>().of(toComparator(sort))

// @ts-expect-error -- fields are those of records
toComparator(sort, () => () => 1)

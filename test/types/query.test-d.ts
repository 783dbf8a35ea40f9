// `alula/query`: what is asked of records can be asked of what stands for them.
import {
  type Comparator,
  type Path,
  type Predicate,
  parseQuery,
  type Reader,
  toComparator,
  toPredicate
} from '../../src/query.ts'
import { expectType } from '../support/expect-type.ts'

const titles = ['a', 'b']
const readTitle: Reader<number> = (path) => {
  expectType<Path>().of(path)

  return (index) => (path[0] === 'title' ? titles[index] : undefined)
}
const { where, sort } = parseQuery({ title: 'a', $sort: { title: 1 } })

expectType<(subject: number) => unknown>().of(readTitle(['title']))
expectType<Predicate>().of(toPredicate(where, {}, readTitle))
expectType<Comparator>().of(toComparator(sort, readTitle))

// @ts-expect-error -- what is read is made once for a path
export const wrongReader: Reader<number> = (_path: Path, index: number) => titles[index]
// @ts-expect-error -- a number is asked for
readTitle(['title'])('a')
// @ts-expect-error -- a path is a list of names
readTitle('title')

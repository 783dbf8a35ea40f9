import { memory } from '../../../../../src/memory.ts'
import { type Condition, parseQuery, toPredicate } from '../../../../../src/query.ts'

/** A memory service with one fault. */
export interface Fault {
  /** What it does wrong. */
  readonly does: string
  /** A rule of the suite that finds it. */
  readonly breaks: string
  create(options: any): any
}

const METHODS = ['find', 'get', 'create', 'update', 'patch', 'remove'].flatMap((name) => [name, `_${name}`])

/** Replaces methods of a memory service; `right` has those that it replaces. */
export function faulty(does: string, breaks: string, change: (right: any, service: any) => object): Fault {
  return {
    does,
    breaks,
    create: (options) => {
      const service: any = memory(options)
      const right = Object.fromEntries(METHODS.map((name) => [name, service[name].bind(service)]))

      return Object.assign(service, change(right, service))
    }
  }
}

/** Changes what the conditions of queries mean. */
export function misread(does: string, breaks: string, change: (condition: Condition) => Condition): Fault {
  const matcher = (query: object) =>
    toPredicate(change(parseQuery(query, { operators: ['$not', '$nor'] }).where))

  return { does, breaks, create: (options) => memory({ ...options, matcher }) }
}

/** Changes the single comparisons in a condition. */
export function misreadComparison(
  does: string,
  breaks: string,
  change: (condition: Condition & { kind: 'compare' }) => Condition
): Fault {
  const walk = (condition: Condition): Condition => {
    switch (condition.kind) {
      case 'compare':
        return change(condition)
      case 'not':
        return { ...condition, condition: walk(condition.condition) }
      case 'custom':
        return condition
      default:
        return { ...condition, conditions: condition.conditions.map(walk) }
    }
  }

  return misread(does, breaks, walk)
}

/** Changes how records are sorted. */
export function missort(does: string, breaks: string, compare: (a: any, b: any) => number): Fault {
  const sorter = (sort: object) => (a: any, b: any) => {
    for (const [name, direction] of Object.entries(sort)) {
      const order = compare(a[name], b[name])

      if (order !== 0) return order * Number(direction)
    }

    return 0
  }

  return { does, breaks, create: (options) => memory({ ...options, sorter }) }
}

/** The condition that a field holds something. */
export function hasValue(path: readonly string[]): Condition {
  return { kind: 'compare', path, operator: 'ne', value: null }
}

export function toName({ name }: any): string {
  return name
}

/** The params of a method that forgets to look at the query. */
export function withoutConditions(params: any = {}): object {
  const { $select } = params.query ?? {}

  return { ...params, query: $select === undefined ? {} : { $select } }
}

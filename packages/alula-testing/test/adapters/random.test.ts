import { expect, it } from 'vitest'
import { memory } from '../../../../src/memory.ts'
import { type Condition, parseQuery, toPredicate } from '../../../../src/query.ts'
import { collect } from './collect.ts'

const QUERIES = 'random queries find what the reference finds, in its order'
const CALLS = 'random calls have the outcomes of the reference, and leave the same records'

const isRandom = (sentence: string) => sentence.startsWith('random')

/** Forgets the third query of `$nor`, which no named rule has. */
function forgetThird(condition: Condition): Condition {
  switch (condition.kind) {
    case 'not':
      return {
        kind: 'not',
        condition:
          condition.condition.kind === 'or'
            ? { kind: 'or', conditions: condition.condition.conditions.slice(0, 2) }
            : forgetThird(condition.condition)
      }
    case 'and':
    case 'or':
      return { ...condition, conditions: condition.conditions.map(forgetThird) }
    default:
      return condition
  }
}

const forgetful = (options: any) =>
  memory({
    ...options,
    matcher: (query) =>
      toPredicate(forgetThird(parseQuery(query, { ...options, operators: ['$not', '$nor'] }).where))
  })

it('random queries find a fault that no rule finds, and print the smallest case with its seed', async () => {
  const { failed } = await collect({ create: forgetful, random: { runs: 1000, seed: 1 } })
  const message = failed.get(QUERIES) as string

  expect([...failed.keys()].filter((name) => !isRandom(name))).toEqual([])
  expect(message).toContain("The adapter 'tested' and the reference disagree")
  expect(message).toContain('random: { seed: 1 }')

  const [, records, call] = message.split(/Records:|Call:/) as [string, string, string]

  expect(records.trim()).toMatch(/^\{ id: \d, position: \d \}$/)
  expect(call).toMatch(/\$nor|\$not/)
  expect(call).toMatch(/The adapter:\n\{ result: \[.*\n?The reference:\n\{ result: \[/)
})

it('a seed repeats a run', async () => {
  const run = () =>
    collect({ create: forgetful, random: { runs: 1000, seed: 7 } }, (sentence) => sentence === QUERIES)
  const [first, second] = [(await run()).failed.get(QUERIES), (await run()).failed.get(QUERIES)]

  expect(first).toBeDefined()
  expect(second).toBe(first)
})

it('random calls find a fault that no rule finds', async () => {
  const create = (options: any) => {
    const service: any = memory(options)
    const { _patch } = service

    service._patch = (id: any, data: any, params: any) =>
      _patch.call(service, id, Object.keys(data).length === 3 ? { name: data.name } : data, params)

    return service
  }
  const { failed } = await collect({ create, random: { runs: 500, seed: 1 } })

  expect([...failed.keys()]).toEqual([CALLS])
  expect(failed.get(CALLS)).toContain("method: 'patch'")
})

it('an error of the adapter that the reference does not have is shown', async () => {
  const create = (options: any) => {
    const service: any = memory(options)
    const { _find } = service

    service._find = (params: any) => {
      if (params?.query?.$and?.length === 3) throw new TypeError('too many')

      return _find.call(service, params)
    }

    return service
  }
  const { failed } = await collect({ create, random: { runs: 500, seed: 1 } }, isRandom)

  expect(failed.get(QUERIES)).toContain("{ status: 500, error: 'TypeError: too many' }")
})

it('`fields` restricts what random records hold', async () => {
  const created: any[] = []
  const create = (options: any) => {
    const service: any = memory(options)
    const { _create } = service

    service._create = (data: any, params: any) => {
      created.push(data)

      return _create.call(service, data, params)
    }

    return service
  }

  const fields = { name: ['string'], age: ['number', 'null'], address: ['object', 'missing'] } as const

  await collect({ create, features: { mixedTypes: false }, random: { runs: 50, seed: 1, fields } }, isRandom)

  const records = created.flat()

  expect(records.length).toBeGreaterThan(100)
  expect(new Set(records.map(({ name }) => typeof name))).toEqual(new Set(['string']))
  expect(new Set(records.map(({ age }) => age === null || typeof age))).toEqual(new Set(['number', true]))
  expect(new Set(records.map(({ address }) => typeof address))).toEqual(new Set(['object', 'undefined']))
  expect(new Set(records.flatMap((record) => Object.keys(record)))).toEqual(
    new Set(['id', 'position', 'name', 'age', 'address'])
  )
})

it('an error that is no disagreement is shown with its seed', async () => {
  const create = () => {
    throw new Error('no connection')
  }
  const { failed } = await collect({ create, random: { runs: 1, seed: 1 } }, isRandom)

  expect(failed.get(QUERIES)).toMatch(
    /^The adapter 'tested' failed\. Run it again with random: \{ seed: 1 \}\n.*no connection/
  )
})

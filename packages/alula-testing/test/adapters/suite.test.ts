import { afterEach, describe, expect, it, vi } from 'vitest'
import { memory } from '../../../../src/memory.ts'
import { adapterTests } from '../../src/adapters.ts'
import { collect } from './collect.ts'

afterEach(() => void vi.unstubAllGlobals())

/** A runner that registers and runs nothing. */
function createRunner() {
  return { describe: vi.fn((_name: string, body: () => void) => body()), it: vi.fn() }
}

it('every rule is a sentence of its own', async () => {
  const { passed } = await collect({ create: memory })

  expect(new Set(passed).size).toBe(passed.length)
})

it('the title has the name of the adapter', () => {
  const runner = createRunner()

  adapterTests(runner, { name: 'files', create: memory })

  expect(runner.describe.mock.calls[0]?.[0]).toBe('the adapter files')
})

it('what the runner leaves out is taken from the globals', () => {
  const runner = createRunner()

  vi.stubGlobal('it', runner.it)
  vi.stubGlobal('describe', runner.describe)
  adapterTests({}, { name: 'files', create: memory })

  expect(runner.it.mock.calls.length).toBeGreaterThan(300)
})

it('the bodies of tests take no argument, which some runners would take for a callback', () => {
  const runner = createRunner()

  adapterTests(runner, { name: 'files', create: memory })

  for (const [, body] of runner.it.mock.calls) expect(body).toHaveLength(0)
})

it('random tests may take their time, in mocha too', async () => {
  const runner = createRunner()
  const timeout = vi.fn()

  adapterTests(runner, { name: 'files', create: memory, random: { runs: 1 } })

  const [, body, milliseconds] = runner.it.mock.calls.find(([name]) => name.startsWith('random')) as any[]

  expect(milliseconds).toBe(300_000)
  await body.call({ timeout })
  await body.call(undefined)
  expect(timeout).toHaveBeenCalledWith(300_000)
})

describe('create and close', () => {
  it('every service is closed, one before the next is made', async () => {
    let isOpen = false
    let count = 0

    const { failed } = await collect({
      create: async (options) => {
        if (isOpen) throw new Error('Two services at once')
        isOpen = true
        count++

        return memory(options)
      },
      close: async (service) => {
        expect(service).toHaveProperty('find')
        isOpen = false
      },
      random: { runs: 3 }
    })

    expect([...failed]).toEqual([])
    expect(isOpen).toBe(false)
    expect(count).toBeGreaterThan(300)
  })

  it('a service is closed also when a rule is broken', async () => {
    let count = 0

    const { failed } = await collect({
      create: (options) => {
        count++

        return Object.assign(memory(options), { find: () => Promise.reject(new Error('broken')) })
      },
      close: () => void count--
    })

    expect(failed.size).toBeGreaterThan(100)
    expect(count).toBe(0)
  })

  it('create gets the name of the id field', async () => {
    const ids = new Set()

    await collect({
      id: 'key',
      create: (options) => {
        ids.add(options.id)

        return memory(options)
      }
    })

    expect([...ids]).toEqual(['key'])
  })

  it('a service without a method is refused with a sentence', async () => {
    const { failed } = await collect({ create: () => ({ find: async () => [] }) as any })

    expect(new Set(failed.values())).toEqual(
      new Set([
        "The adapter tests need 'create' to return a service, but it has no '_find' (ALULA_INVALID_SERVICE)"
      ])
    )
  })
})

describe('skip', () => {
  const sentence = 'zero is an id'

  it('shows a rule as skipped', async () => {
    const { skipped, passed } = await collect({ create: memory, skip: [sentence] })

    expect(skipped).toContain(`${sentence} (the adapter does not)`)
    expect(passed).not.toContain(sentence)
  })

  it('leaves a rule out where the runner cannot skip', () => {
    const runner = createRunner()

    adapterTests(runner, { name: 'files', create: memory, skip: [sentence] })

    expect(runner.it.mock.calls.map(([name]) => name)).not.toContain(sentence)
  })

  it('takes the random tests out by no runs', async () => {
    const { skipped } = await collect({ create: memory, random: { runs: 0 } })

    expect(skipped.filter((name) => name.endsWith('(needs runs)'))).toHaveLength(2)
  })
})

describe('what cannot be is refused when the suite is registered', () => {
  const right = { name: 'files', create: memory }

  it.each([
    ["need a 'name'", { create: memory }],
    ["need 'create'", { name: 'files' }],
    [
      "know no feature 'date', but booleans, codeUnits, cursors, dates",
      { ...right, features: { date: false } }
    ],
    ["have no rule 'zero' to skip", { ...right, skip: ['zero'] }]
  ])('%s', (sentence, options) => {
    expect(() => adapterTests(createRunner(), options as any)).toThrow(`The adapter tests ${sentence}`)
  })

  it('a runner without `it`', () => {
    expect(() => adapterTests({ describe: () => undefined }, right)).toThrow(
      "The adapter tests need 'describe' and 'it' of a test runner, and there are no global ones"
    )
  })
})

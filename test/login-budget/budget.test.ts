import { setImmediate as turn } from 'node:timers/promises'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { MemoryLoginBudgetStore } from '../../src/authentication.ts'
import { type ClientPlace, withClientPlace } from '../../src/core/client-place.ts'
import { NotAuthenticated } from '../../src/errors.ts'
import { alula } from '../../src/index.ts'
import { LoginBudget } from '../../src/login-budget/budget.ts'
import type { LoginBudgetOptions } from '../../src/login-budget/options.ts'
import { defer } from '../support/deferred.ts'
import { until } from '../support/until.ts'

const LIMITED = { name: 'TooManyRequests', code: 429 }

beforeEach(() => {
  vi.stubEnv('NODE_ENV', 'production')

  return () => void vi.unstubAllEnvs()
})

/** The attempts of one process, from an address or from none that is known. */
function startAttempts(
  options: false | LoginBudgetOptions | undefined,
  address?: string,
  place: ClientPlace = {}
) {
  const budget = new LoginBudget(alula() as any)
  const params = withClientPlace({}, { address, ...place })

  return (account: string | undefined, work: (isKnown: boolean) => Promise<unknown>) =>
    budget.run({ params, account, secret: 'a secret', options }, work)
}

async function refuse(): Promise<never> {
  throw new NotAuthenticated('Wrong')
}

const accept = async () => 'right'

describe('an attempt', () => {
  it('is not counted where the option is false, and is told of no known address', async () => {
    const attempt = startAttempts(false, '192.0.2.1')

    for (let n = 0; n < 12; n++) await expect(attempt('wren', refuse)).rejects.toThrow('Wrong')

    expect(await attempt('wren', accept)).toBe('right')
    expect(await attempt('wren', async (isKnown) => isKnown)).toBe(false)
  })

  it('from an address that is not known counts for its account alone', async () => {
    const attempt = startAttempts({ addressPoints: 2, points: 1, accountPoints: 3 })

    for (let n = 0; n < 5; n++) await expect(attempt(`${n}`, refuse)).rejects.toThrow('Wrong')
    for (let n = 0; n < 3; n++) await expect(attempt('wren', refuse)).rejects.toThrow('Wrong')

    // That of the half minute.
    await expect(attempt('wren', refuse)).rejects.toThrow('Wrong')
    await expect(attempt('wren', accept)).rejects.toMatchObject(LIMITED)
    expect(await attempt('ada', accept)).toBe('right')
  })

  it('gives back no point that its store could not take', async () => {
    const memory = new MemoryLoginBudgetStore()
    let isAway = false
    const store = {
      async take(key: string, duration: number) {
        if (isAway) throw new Error('The store is away')

        return memory.take(key, duration)
      },
      giveBack: (key: string) => memory.giveBack(key),
      know: () => undefined,
      knows: () => false
    }
    const attempt = startAttempts({ addressPoints: 1, store }, '192.0.2.1')

    await expect(attempt(undefined, refuse)).rejects.toThrow('Wrong')
    isAway = true
    await expect(attempt(undefined, accept)).rejects.toThrow('The store is away')
    isAway = false
    await expect(attempt(undefined, accept)).rejects.toMatchObject(LIMITED)
  })

  it('without an account counts for its address alone', async () => {
    const attempt = startAttempts({ addressPoints: 3, points: 1, accountPoints: 1 }, '192.0.2.1')

    for (let n = 0; n < 3; n++) await expect(attempt(undefined, refuse)).rejects.toThrow('Wrong')

    await expect(attempt(undefined, accept)).rejects.toMatchObject(LIMITED)
  })
})

it.each<[string, ClientPlace, string]>([
  [
    'behind a proxy that no setting names',
    { address: '192.0.2.1', isBehindProxy: true },
    'Requests come through a proxy, and nothing says how many there are: ' +
      "set 'trustProxy' of the transport, 'trust proxy' of Express or 'proxy' of Koa"
  ],
  [
    'that no transport has said',
    {},
    "The address of a client is not known: have the transport pass it on, as 'address'"
  ]
])('an address %s is a warning, once, which says what to do', async (_title, place, reason) => {
  const warnings: string[] = []
  const hear = ({ code, message }: any) => code === 'ALULA_UNKNOWN_ADDRESS' && warnings.push(message)
  const attempt = startAttempts({}, undefined, place)

  // Those of other tests are on their way.
  await turn()
  process.on('warning', hear)
  onTestFinished(() => void process.off('warning', hear))
  for (let n = 0; n < 2; n++) await attempt('wren', accept)
  await until(() => expect(warnings.length).toBeGreaterThan(0))
  await turn()
  expect(warnings).toEqual([`${reason}. Until then failed logins are counted by account alone`])
})

describe('an attempt over the limit, of which another process has taken a point', () => {
  /** Two processes with one store and two points for an address; one of these is used up in the other process. */
  async function startTwo() {
    const store = new MemoryLoginBudgetStore()
    const holds: Promise<void>[] = []
    const asked: string[] = []
    const options = {
      ...{ addressPoints: 2 },
      store: {
        async take(key: string, duration: number) {
          const taken = store.take(key, duration)

          asked.push(key)
          await holds.shift()

          return taken
        },
        giveBack: (key: string) => store.giveBack(key),
        know: () => undefined,
        knows: () => false
      }
    }
    const [here, there] = [startAttempts(options, '192.0.2.1'), startAttempts(options, '192.0.2.1')]

    await expect(there(undefined, refuse)).rejects.toThrow('Wrong')

    return { attempt: here, holds, asked }
  }

  it('waits for one of its own process, and has the point that this one gives back', async () => {
    const { attempt } = await startTwo()
    const checked = defer()
    const first = attempt(undefined, () => checked.promise.then(accept))
    const second = attempt(undefined, accept)

    await turn()
    checked.resolve()
    expect(await Promise.all([first, second])).toEqual(['right', 'right'])
  })

  it('has it too where that one gives it back while the store is asked', async () => {
    const { attempt, holds, asked } = await startTwo()
    const [checked, counted] = [defer(), defer()]
    const first = attempt(undefined, () => checked.promise.then(accept))

    await turn()
    holds.push(counted.promise)

    const second = attempt(undefined, accept)

    while (asked.length < 3) await turn()
    checked.resolve()
    await first
    await turn()
    counted.resolve()
    expect(await second).toBe('right')
  })

  it('is refused where there is none that could give a point back', async () => {
    const { attempt } = await startTwo()

    await expect(attempt(undefined, refuse)).rejects.toThrow('Wrong')
    await expect(attempt(undefined, accept)).rejects.toMatchObject({
      ...LIMITED,
      data: { retryAfter: 900 }
    })
  })
})

it('names that databases may compare as equal are one account, by one secret', () => {
  const budget = new LoginBudget(alula() as any)
  const hash = budget.hashAccount('straße', 'a secret')

  expect(hash).toMatch(/^[\w-]{22}$/)
  expect(budget.hashAccount(' STRASSE ', 'a secret')).toBe(hash)
  expect(budget.hashAccount('strase', 'a secret')).not.toBe(hash)
  expect(budget.hashAccount('straße', 'another secret')).not.toBe(hash)
  expect(budget.hashAccount('straße', 'a secret')).toBe(hash)
})

it('a store in memory counts the keys that it keeps, also beyond those of late', () => {
  const store = new MemoryLoginBudgetStore()

  for (let n = 1; n <= 25_000; n++) store.take(`${n}`, 1000)

  expect(store.size).toBe(25_000)
  store.take('wren', 1000)
  store.know('wren', '192.0.2.1')
  expect(store.size).toBe(25_002)
})

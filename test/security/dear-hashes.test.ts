import bcrypt from 'bcryptjs'
import { expect, it, onTestFinished } from 'vitest'
import { BcryptHasher } from '../../src/authentication.ts'

const PASSWORD = 'correct horse'

/** The least CPU time of several runs, in microseconds: that of the threads counts too, and that of other processes does not. */
async function time(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []

  for (let round = 0; round < 7; round++) {
    const begin = process.cpuUsage()

    await work()

    const { user, system } = process.cpuUsage(begin)

    times.push(user + system)
  }

  return Math.min(...times)
}

it('a comparison that fails takes as long as with the dearest hash, whatever is stored', async () => {
  const hasher = new BcryptHasher(5)
  const [cheap, usual, dear] = [4, 5, 10].map((cost) => bcrypt.hashSync(PASSWORD, cost)) as [
    string,
    string,
    string
  ]

  onTestFinished(() => hasher.close())
  expect(await hasher.compare('wrong', dear)).toBe(false)

  const expected = await time(() => hasher.compare('wrong', dear))

  for (const hash of [cheap, usual, '', 'no hash']) {
    const taken = await time(() => hasher.compare('wrong', hash))

    expect(taken).toBeGreaterThan(expected * 0.6)
    expect(taken).toBeLessThan(expected * 1.6)
  }

  const tooLong = await time(() => hasher.compare('x'.repeat(73), usual))

  expect(tooLong).toBeGreaterThan(expected * 0.6)
  expect(await hasher.compare(PASSWORD, cheap)).toBe(true)
})

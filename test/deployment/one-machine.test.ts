import { expect, it } from 'vitest'
import { readBlocks, readSection } from '../support/page.ts'
import { expectSession } from '../support/session.ts'
import { until } from '../support/until.ts'
import { follow, USER } from './follow.ts'
import { type Load, startLoad } from './load.ts'
import { describeMachine, type Machine, startMachine } from './machine.ts'
import { PAGE } from './page.ts'

/** Restarts all processes with the script of the page, while clients call. */
async function restartUnder(load: Load, machine: Machine): Promise<void> {
  const before = load.succeeded()

  await until(() => expect(load.succeeded()).toBeGreaterThan(before + 100))
  await machine.run(machine.read('/srv/shop/restart.sh'))
  await until(() => expect(load.succeeded()).toBeGreaterThan(before + 200))
}

describeMachine('one machine, by the steps of the page', () => {
  it('two processes serve behind a proxy, and a restart of each fails no call', async () => {
    const machine = await startMachine()
    const target = await follow(machine)
    const [session] = readBlocks(readSection(PAGE, 'One machine'), 'console') as [string]

    await expectSession([session], {
      'curl -s https': 'curl -s --cacert /etc/letsencrypt/live/example.com/fullchain.pem https',
      ...machine.here
    })

    const load = await startLoad(target, USER)

    for (let round = 0; round < 2; round++) await restartUnder(load, machine)
    await load.stop()

    expect(load.failures).toEqual([])
    expect(machine.units.ends).toEqual(Array(4).fill(0))
    expect(machine.units.journal.join('')).not.toMatch(/Redis is away|Warning/)
    expect(load.disconnects()).toBeGreaterThanOrEqual(2)

    // What was stored, and what each socket was told, is what the clients were told of their calls.
    const stored = await machine.run(
      "psql --dbname shop --tuples-only --no-align --command 'select text from notes'"
    )
    const created = [...load.created].sort()

    expect(stored.trim().split('\n').sort()).toEqual(created)
    for (const texts of load.received) {
      await until(() => expect([...texts].sort()).toEqual(created))
    }
  }, 300_000)
})

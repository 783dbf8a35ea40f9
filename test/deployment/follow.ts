import { expect } from 'vitest'
import { until } from '../support/until.ts'
import { send, type Target } from './load.ts'
import type { Machine } from './machine.ts'
import { readCommands } from './page.ts'

/** The user whose calls make the load. */
export const USER = { email: 'ada@example.com', password: 'correct horse' }

/** What needs the right to change this machine. */
const INSTALL = 'apt-get install'

/** Waits for a process, as `restart.sh` does. */
const READY = 'curl --silent --fail --retry 60 --retry-delay 1 --retry-all-errors --output /dev/null'

/** Follows the page up to the processes behind the proxy. Returns where these are. */
export async function follow(machine: Machine): Promise<Target> {
  const commands = readCommands('One machine')

  await machine.run(...commands.filter((text) => !text.includes(INSTALL) && !text.includes('for port in')))

  const target = { origin: machine.origin, prefix: '/shop', ca: machine.ca }

  // Who follows the page by hand is slower than a start.
  await machine.run('for port in 3031 3032; do', `${READY} "http://127.0.0.1:$port/ready"`, 'done')
  await until(async () => expect(await send(target, 'GET', '/notes')).toMatchObject({ status: 401 }))
  await send(target, 'POST', '/users', { json: USER })

  return target
}

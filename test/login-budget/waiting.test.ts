import { createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { MemoryLoginBudgetStore } from '../../src/authentication.ts'
import { toListener } from '../../src/node.ts'
import { listen } from '../support/server.ts'
import { addUsers, logIn, PASSWORD } from './app.ts'

const WREN = 'wren@example.org'
const ADDRESS = '192.0.2.1'

/** Counts the points that are asked for. Each call takes a turn of the event loop, as with a database. */
async function open(budget: any = {}) {
  const memory = new MemoryLoginBudgetStore()
  const taken: string[] = []
  const later = <T>(call: () => T) => new Promise<T>((resolve) => void setImmediate(() => resolve(call())))
  const store = {
    take: (key: string, duration: number) => {
      taken.push(key)

      return later(() => memory.take(key, duration))
    },
    giveBack: (key: string) => later(() => memory.giveBack(key)),
    know: (account: string, address: string) => later(() => memory.know(account, address)),
    knows: (account: string, address: string) => later(() => memory.knows(account, address))
  }
  const app = addUsers(undefined, { store, ...budget })
  const url = await listen(createServer(toListener(app, { trustProxy: 1, logger: false })))

  await app.setup()
  await app.service('users').create({ email: WREN, password: PASSWORD })
  onTestFinished(async () => void (await app.teardown()))

  const logInAtOnce = async (count: number, password: string) =>
    Promise.all(Array.from({ length: count }, async () => (await logIn(url, WREN, password, ADDRESS)).status))

  return { app, taken, logInAtOnce }
}

it('of many right logins at once a thousand wait, each takes a few points, and those beyond are a 503', async () => {
  const { app, taken, logInAtOnce } = await open()
  const { hasher } = app.get('authentication').local
  const { compare } = hasher
  let refused = 0
  let compareAll = () => {}
  const othersWait = new Promise<void>((resolve) => {
    compareAll = resolve
  })

  // The last is refused when all others wait.
  app.service('authentication').hooks({
    error: { create: [() => void (++refused === 100 && compareAll())] }
  })
  hasher.compare = async (password: string, hash: string) => {
    await othersWait

    return compare(password, hash)
  }
  onTestFinished(() => {
    hasher.compare = compare
  })

  const statuses = await logInAtOnce(1200, PASSWORD)

  expect(statuses.filter((status) => status === 201)).toHaveLength(1100)
  expect(statuses.filter((status) => status === 503)).toHaveLength(100)
  expect(taken.length).toBeLessThanOrEqual(7200)
  expect(await logInAtOnce(1, PASSWORD)).toEqual([201])
})

it('right logins at once succeed with one point left', async () => {
  const { taken, logInAtOnce } = await open()

  expect(await logInAtOnce(9, 'wrong')).toEqual(Array(9).fill(401))
  taken.length = 0
  expect(await logInAtOnce(200, PASSWORD)).toEqual(Array(200).fill(201))
  expect(taken.length).toBeLessThanOrEqual(1200)
})

it('of a thousand wrong logins at once ten pass, and each takes a few points', async () => {
  const { taken, logInAtOnce } = await open()
  const statuses = await logInAtOnce(1000, 'wrong')

  expect(statuses.filter((status) => status === 401)).toHaveLength(10)
  expect(statuses.filter((status) => status === 429)).toHaveLength(990)
  expect(taken.length).toBeLessThanOrEqual(6000)
})

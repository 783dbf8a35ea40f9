import { describe, expect, it } from 'vitest'
import { authenticate, connection, event, hashPassword, hooks, protect } from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { EXTERNAL } from './app.ts'

it('the hooks of both packages of Feathers are in one object', () => {
  expect(hooks).toEqual({ authenticate, connection, event, hashPassword, protect })
})

describe('the event hook', () => {
  it('emits on the application for a call from outside that has a result', async () => {
    const app: any = alula().use('things', { get: async (id: number) => (id === 1 ? { id } : undefined) })
    const seen: unknown[] = []

    app.service('things').hooks({ around: { get: [event('login')] } })
    app.on('login', (...args: unknown[]) => seen.push(args))

    await app.service('things').get(1)
    await app.service('things').get(2, EXTERNAL)
    expect(seen).toEqual([])

    const context = app.service('things').get.createContext()

    await app.service('things').get(1, EXTERNAL, context)
    expect(seen).toEqual([[{ id: 1 }, EXTERNAL, context]])
  })
})

describe('the connection hook', () => {
  it('hands the result to the service when the call came over a connection', async () => {
    const seen: unknown[][] = []
    const app: any = alula().use('things', {
      get: async (id: number) => ({ id }),
      handleConnection: async (...args: unknown[]) => void seen.push(args)
    } as any)
    const socket = {}

    app.service('things').hooks({ around: { get: [connection('logout')] } })

    await app.service('things').get(1, EXTERNAL)
    expect(seen).toEqual([])

    await app.service('things').get(1, { connection: socket })
    expect(seen).toEqual([['logout', socket, { id: 1 }]])
    expect(seen[0]?.[1]).toBe(socket)
  })
})

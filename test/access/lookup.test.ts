// A service without an adapter may not read the query, so that its records are looked up before they are changed.
import { expect, it } from 'vitest'
import { access, owner } from '../../src/access.ts'
import { memory } from '../../src/memory.ts'
import { createApp, logIn, toStatus } from './support/application.ts'

async function open(rules: Parameters<typeof access>[0], service: object) {
  const app = createApp()

  app.use('notes', service as any, { access: access(rules) })
  await app.setup()

  return { notes: app.service('notes') as any, ada: (await logIn(app)).ada.params }
}

it('finds the record as the caller, from inside and without the query', async () => {
  const seen: unknown[] = []
  const service = {
    get: async (id: unknown, { provider, user, query }: any) => {
      seen.push([provider, user.name, query])

      return { id, ownerId: 1 }
    },
    remove: async (id: unknown) => ({ id })
  }
  const { notes, ada } = await open({ all: owner('ownerId') }, service)

  await notes.remove(1, { ...ada, query: { text: 'a' } })

  expect(seen).toEqual([[undefined, 'ada', {}]])
})

it('checks what a write leaves as it is', async () => {
  const stored = { 1: { id: 1, state: 'open', size: 1 }, 2: { id: 2, state: 'open', size: 9 } }
  const service = { get: async (id: 1 | 2) => stored[id], patch: async () => ({ state: 'shut', size: 1 }) }
  const { notes, ada } = await open(
    { patch: () => ({ $or: [{ state: 'open' }, { size: { $lt: 5 } }] }), get: () => true },
    service
  )

  expect(await toStatus(notes.patch(1, { state: 'shut' }, ada))).toBe(200)
  expect(await toStatus(notes.patch(2, { state: 'shut' }, ada))).toBe(403)
})

it('knows the operators of rules, whatever those of clients are', async () => {
  const service = { find: async () => [{ state: 'open' }] }
  const { notes, ada } = await open({ find: () => ({ $nor: [{ state: 'shut' }] }) }, service)

  expect(await notes.find(ada)).toEqual([{ state: 'open' }])
})

it('is not made for a new id: stores make it, and no write changes one', async () => {
  const store = { 1: { id: 1 } }
  const { notes, ada } = await open(
    { create: () => ({ id: { $ne: 7 } }), update: () => ({ id: { $lt: 5 } }) },
    memory({ store })
  )

  expect(await toStatus(notes.create({}, ada))).toBe(403)
  expect(await toStatus(notes.create({ id: 8 }, ada))).toBe(200)
  expect(await notes.update(1, { id: 9, text: 'a' }, ada)).toEqual({ id: 1, text: 'a' })
})

it('finds owners by ids that are strings', async () => {
  const app = createApp()

  app.use('notes', memory({ store: { 1: { id: 1, ownerId: 'ada' } } }), {
    access: access({ all: owner('ownerId') })
  })

  const find = (id: string) =>
    app.service('notes').find({ provider: 'rest', authenticated: true, user: { id } } as object)

  expect(await find('ada')).toHaveLength(1)
  expect(await find('eve')).toHaveLength(0)
})

import { expect, it } from 'vitest'
import { access, owner } from '../../src/access.ts'
import { scaled } from '../support/scale.ts'
import { createApp, logIn, toStatus } from './support/application.ts'
import { describeStores } from './support/stores.ts'

describeStores('an owner', 'alula_owners', (create) => {
  it('that changes while others write is the one that the write finds', async () => {
    const { notes, ada, grace } = await register()
    const { id } = await notes.create({ text: 'none', ownerId: 1, age: 0 })
    const rounds = scaled(2500)

    for (let round = 0; round < rounds; round++) {
      const [from, to] = round % 2 ? [2, 1] : [1, 2]
      const writer = from === 1 ? ada : grace
      // Each names its own round, so that a write after the change would be seen.
      const [written] = await Promise.all([
        toStatus(notes.patch(id, { text: `${round} by ${from}` }, writer)),
        notes.patch(id, { ownerId: to, text: `${round} given`, age: round })
      ])
      const now = await notes.get(id)

      // Either before the change, which overwrote it, or not at all.
      expect(now).toMatchObject({ ownerId: to, text: `${round} given`, age: round })
      expect([200, 404]).toContain(written)
    }
  })

  it('adds no statement to a call', async () => {
    const statements: string[] = []
    const { notes, ada } = await register((sql) => statements.push(sql))
    const count = async (call: () => Promise<unknown>): Promise<number> => {
      const start = statements.length

      await call().catch(() => undefined)

      return statements.length - start
    }
    const [own] = await notes.create([{ ownerId: 1 }, { ownerId: 2 }])
    const inside = { query: { ownerId: 1 } }

    expect(await count(() => notes.get(own.id, ada))).toBe(await count(() => notes.get(own.id, inside)))
    expect(await count(() => notes.find(ada))).toBe(await count(() => notes.find(inside)))
    expect(await count(() => notes.create({ ownerId: 1 }, ada))).toBe(
      await count(() => notes.create({ ownerId: 1 }))
    )
    expect(await count(() => notes.patch(own.id, { text: 'b' }, ada))).toBe(
      await count(() => notes.patch(own.id, { text: 'b' }, inside))
    )
    expect(await count(() => notes.remove(own.id, ada))).toBe(
      await count(async () => {
        const { id } = await notes.create({ ownerId: 1 })

        statements.length = 0
        await notes.remove(id, inside)
      }).then(() => statements.length)
    )
  })

  it('of another record is told from none by neither error nor statements', async () => {
    const statements: string[] = []
    const { notes, ada } = await register((sql) => statements.push(sql))
    const { id } = await notes.create({ ownerId: 2, text: 'secret' })
    const observe = async (target: number, call: (id: number) => Promise<unknown>): Promise<string> => {
      const start = statements.length
      const error = await call(target).catch((thrown: Error) => thrown)

      return `${JSON.stringify(error)} ${statements.slice(start).join('; ')}`.replaceAll(
        `'${target}'`,
        "'id'"
      )
    }

    for (const call of [
      (target: number) => notes.get(target, ada),
      (target: number) => notes.update(target, { ownerId: 1 }, ada),
      (target: number) => notes.patch(target, { text: 'x' }, ada),
      (target: number) => notes.patch(target, { ownerId: 2 }, ada),
      (target: number) => notes.remove(target, ada)
    ]) {
      expect(await observe(id, call)).toBe(await observe(id + 1000, call))
    }
  })

  async function register(onStatement?: (sql: string) => void) {
    const app = createApp()

    app.use('notes', await create(onStatement), { access: access({ all: owner('ownerId') }) })
    await app.setup()

    const { ada, grace } = await logIn(app)

    return { notes: app.service('notes'), ada: ada.params, grace: grace.params }
  }
})

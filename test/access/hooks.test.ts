import { expect, it } from 'vitest'
import { access, anyone, exposure, owner, user } from '../../src/access.ts'
import { VALIDATED } from '../../src/adapter.ts'
import { authenticate } from '../../src/authentication.ts'
import type { HookContext } from '../../src/index.ts'
import { MemoryService, memory } from '../../src/memory.ts'
import { PATTERN_PREDICATES } from '../../src/query.ts'
import { createApp, logIn, toStatus, USERS } from './support/application.ts'

const NOTES = { 1: { id: 1, text: 'a', ownerId: 1 }, 2: { id: 2, text: 'b', ownerId: 2 } }

async function open(rules: Parameters<typeof access>[0]) {
  const app = createApp()

  app.use('notes', memory({ store: NOTES }), { access: access(rules) })
  await app.setup()

  return { app, notes: app.service('notes') as any, ada: (await logIn(app)).ada.params }
}

it('that set a result, such as a cache, show no record of others', async () => {
  const { notes, ada } = await open({ all: owner('ownerId') })
  const cache = ({ id }: HookContext) => (id === undefined ? Object.values(NOTES) : NOTES[id as 1])

  notes.hooks({
    before: { all: [(context: HookContext) => void Object.assign(context, { result: cache(context) })] }
  })

  expect(await toStatus(notes.find(ada))).toBe(500)
  expect(await toStatus(notes.get(1, ada))).toBe(200)
  expect(await toStatus(notes.get(2, ada))).toBe(404)
})

it.each([
  ['$like', { text: { $like: 'a%' } }, { predicates: PATTERN_PREDICATES }],
  ['$contains', { tags: { $contains: 'x' } }, {}],
  ['$first', { text: { $first: 'a' } }, { predicates: { $first: (a: any) => (b: any) => b[0] === a } }],
  [
    '$starts',
    { text: { $starts: 'a' } },
    {
      matcher:
        ({ text: start }: any) =>
        ({ text }: any) =>
          text.startsWith(start.$starts)
    }
  ]
])(
  'that set a result are held to a rule with the operator %s of the adapter',
  async (name, rule, options) => {
    const [first, second] = [
      { id: 1, text: 'ab', tags: ['x'] },
      { id: 2, text: 'b', tags: [] }
    ]
    const app = createApp()

    app.use('notes', memory({ store: [first, second], operators: [name], ...options }), {
      access: access({ get: () => rule })
    })
    app.service('notes').hooks({
      before: {
        get: [(context) => void Object.assign(context, { result: context.id === 1 ? first : second })]
      }
    })
    await app.setup()

    const notes = app.service('notes')

    expect(await notes.get(1, { provider: 'rest' })).toEqual(first)
    expect(await toStatus(notes.get(2, { provider: 'rest' }))).toBe(404)
  }
)

it('that write in place of the method are responsible for what they write', async () => {
  const { notes, ada } = await open({ patch: owner('ownerId') })

  notes.hooks({
    before: { patch: [(context: HookContext) => void Object.assign(context, { result: { queued: true } })] }
  })

  expect(await notes.patch(2, { ownerId: 2 }, ada)).toEqual({ queued: true })
})

it('leave the field of the owner out of what is selected', async () => {
  const { notes, ada } = await open({ all: owner('ownerId') })

  expect(await notes.find({ ...ada, query: { $select: ['text'] } })).toEqual([{ id: 1, text: 'a' }])
})

it('leave the condition of a rule in the query of a write once', async () => {
  const queries: unknown[] = []

  class Notes extends MemoryService {
    override async _patch(id: any, data: any, params: any): Promise<any> {
      queries.push(params.query)

      return await super._patch(id, data, params)
    }
  }

  const app = createApp()

  app.use('notes', new Notes({ store: NOTES }), { access: access({ patch: owner('ownerId') }) })
  await app.setup()

  const { params } = (await logIn(app)).ada

  await app.service('notes').patch(1, { text: 'c' }, params)
  await app.service('notes').patch(1, { text: 'd', ownerId: 1 }, params)

  expect(queries).toEqual([{ $and: [{ ownerId: 1 }] }, { $and: [{ ownerId: 1 }] }])
})

it('see the query of a new record as the client has sent it', async () => {
  const { notes, ada } = await open({ create: owner('ownerId') })
  const queries: unknown[] = []

  notes.hooks({ before: { create: [({ params }: HookContext) => void queries.push(params.query)] } })
  await notes.create({ ownerId: 1 }, { ...ada, query: { $select: ['text'] } })

  expect(queries).toEqual([{ $select: ['text'] }])
})

it('of Feathers that have validated a query keep what they allow', async () => {
  const { notes, ada } = await open({ find: owner('ownerId') })
  const query = Object.defineProperty({ $nor: [{ text: 'b' }] }, VALIDATED, { value: true })

  expect(await toStatus(notes.find({ ...ada, query: { ...query } }))).toBe(400)
  notes.hooks({
    before: {
      find: [(context: HookContext) => void Object.assign(context, { params: { ...context.params, query } })]
    }
  })
  expect(await notes.find(ada)).toEqual([NOTES[1]])
})

it('may hand on params of a call that was authenticated, which is not verified again', async () => {
  const { notes } = await open({ all: user })
  const params = { provider: 'rest', authentication: { strategy: 'jwt', accessToken: 'x.y.z' } }

  expect(await toStatus(notes.find(params))).toBe(401)
  expect(await toStatus(notes.find({ ...params, authenticated: true }))).toBe(200)
})

it('get no user from outside who is not verified', async () => {
  const { notes } = await open({ find: anyone, get: owner('ownerId') })
  const outside = { provider: 'rest', user: USERS[1] }

  expect(await toStatus(notes.get(1, outside))).toBe(401)
  expect(
    await toStatus(notes.find({ ...outside, authentication: { strategy: 'jwt', accessToken: 'x.y.z' } }))
  ).toBe(401)
})

it('that authenticate are named in the table where access says anyone, and not beside a rule', async () => {
  const { app, notes } = await open({ find: anyone, get: user })

  notes.hooks({ before: { all: [authenticate('jwt')] } })

  expect(
    exposure(app)
      .filter(({ service }) => service === 'notes')
      .map(({ who }) => who)
      .slice(0, 2)
  ).toEqual(["hook authenticate('jwt')", 'user'])
})

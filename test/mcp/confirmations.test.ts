import { beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { access, anyone } from '../../src/access.ts'
import { MemoryRevocationStore } from '../../src/authentication.ts'
import type { Application } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { configureNotes, createApp, getToken } from './support/application.ts'
import { CLIENTS, connect, connectFormer, post } from './support/clients.ts'

let app: Application
let token: string

beforeEach(async () => {
  app = await createApp()
  token = await getToken(app, 1)
  for (const text of ['a', 'b'])
    await app.service('notes').create({ text, state: 'open', secret: 's', ownerId: 1 })
})

/** A list in a list in a list. */
const nest = (depth: number): unknown[] => (depth === 0 ? [] : [nest(depth - 1)])

const count = async () => (await app.service('notes').find()).total

it('a removal asks the user, who says yes or no', async () => {
  const asked: string[] = []
  const answers = ['decline', 'accept'] as const
  const ada = await connect(app, 1, {
    answer: (message) => {
      asked.push(message)

      return answers[asked.length - 1] as 'accept'
    }
  })
  const refused = await ada.call('notes_remove', { id: 0 })

  expect(refused).toMatchObject({ isError: true, text: 'The user has not agreed. Nothing was changed' })
  expect(await count()).toBe(2)

  expect((await ada.call('notes_remove', { id: 0 })).json).toMatchObject({ id: 0 })
  expect(await count()).toBe(1)
  expect(asked).toEqual(Array(2).fill('Allow notes_remove with {"id":0}?'))
})

it('a question shows the id before a query that is too long for it', async () => {
  const asked: string[] = []
  const ada = await connect(app, 1, {
    answer: (message) => {
      asked.push(message)

      return 'decline'
    }
  })
  const query = { text: { $nin: Array(60).fill('what is not to be removed') } }

  expect((await ada.call('notes_remove', { query, id: null })).isError).toBe(true)
  expect(asked).toEqual([expect.stringMatching(/^Allow notes_remove with \{"id":null,"query":/)])
})

it.each([
  ['notes_remove', { id: null }],
  ['notes_patch', { id: null, data: { text: 'x' } }],
  ['notes_create', { data: [{ text: 'x' }, { text: 'y' }] }]
])('%s for several records asks the user', async (name, args) => {
  const asked: string[] = []
  const ada = await connect(app, 1, {
    answer: (message) => {
      asked.push(message)

      return 'decline'
    }
  })

  expect((await ada.call(name, args)).isError).toBe(true)
  expect(asked).toHaveLength(1)
  expect(await count()).toBe(2)
})

describe.each(Object.entries(CLIENTS))('%s', (_name, open) => {
  it('is refused with a sentence where it cannot ask, and nothing is written', async () => {
    const ada = await open(app, { token })
    const { isError, text } = await ada.call('notes_remove', { id: 0 })

    expect(isError).toBe(true)
    expect(text).toMatch(/^notes_remove needs the consent of the user, and this client cannot ask for it/)
    expect(await count()).toBe(2)
  })
})

it('a client of the era before says at its start alone that it can ask, so that it is refused too', async () => {
  const ada = await connectFormer(app, { token, answer: 'accept' })

  expect((await ada.call('notes_remove', { id: 0 })).text).toMatch(/cannot ask/)
  expect(await count()).toBe(2)
})

it('several records in an envelope ask too', async () => {
  const other = await createApp({ anonymous: true }, (one) => {
    one.use('things', memory({ multi: true }), {
      methods: ['create'],
      schema: schema(z.object({ id: z.int(), name: z.string() }), {
        envelope: { one: 'thing', many: 'things', request: true }
      }),
      access: access({ create: anyone })
    })
  })
  const client = await connectFormer(other)

  expect((await client.call('things_create', { data: { thing: { name: 'a' } } })).isError).toBe(false)
  expect((await client.call('things_create', { data: { things: [{ name: 'a' }] } })).text).toMatch(/consent/)
})

it('several records in the only field of an envelope ask, and a list in a record does not', async () => {
  const Thing = z.object({ id: z.int(), name: z.string(), tags: z.array(z.string()).optional() })
  const other = await createApp({ anonymous: true }, (one) => {
    for (const [path, envelope] of Object.entries({
      things: { one: 'thing', request: true },
      bare: { one: 'thing', many: 'tags' }
    })) {
      one.use(path, memory({ multi: true }), {
        methods: ['create'],
        schema: schema(Thing, { envelope }),
        access: access({ create: anyone })
      })
    }
  })
  const client = await connectFormer(other)
  const create = (path: string, data: object) => client.call(`${path}_create`, { data })

  expect((await create('things', { thing: { name: 'a' } })).isError).toBe(false)
  expect((await create('things', { thing: [{ name: 'a' }, { name: 'b' }] })).text).toMatch(/consent/)
  expect(await other.service('things').find()).toHaveLength(1)
  expect((await create('bare', { name: 'a', tags: ['x'] })).isError).toBe(false)
})

it('without confirmations nothing asks', async () => {
  const other = await createApp({ confirm: false })

  await other.service('notes').create({ text: 'a', state: 'open', secret: 's', ownerId: 1 })

  const ada = await connectFormer(other, { token: await getToken(other, 1) })

  expect((await ada.call('notes_remove', { id: 0 })).isError).toBe(false)
  expect((await other.service('notes').find()).total).toBe(0)
})

it.each([
  ['nested too deep', { id: 0, query: { text: nest(1000) } }, /^BadRequest: Invalid query/],
  ['unknown', { id: 0, force: true }, /^BadRequest: Unknown argument 'force'/],
  ['no id', { id: [0] }, /^BadRequest: Invalid id for 'remove'/]
])('arguments that are %s are refused before the user is asked', async (_what, args, sentence) => {
  const asked = await post(app, 'tools/call', { name: 'notes_remove', arguments: args }, { token })
  const { isError, content } = asked.body.result

  expect(isError).toBe(true)
  expect(content[0].text).toMatch(sentence)
})

it('methods that are named ask too', async () => {
  const other = await createApp({ confirm: ['finish', 'posts_create'] })
  const ada = await connect(other, 1)

  for (const [name, args] of [
    ['notes_finish', { data: { ids: [1] } }],
    ['posts_create', { data: { title: 'a' } }]
  ] as const) {
    expect((await ada.call(name, args)).text).toMatch(/needs the consent/)
  }

  expect((await ada.call('notes_create', { data: { text: 'a' } })).isError).toBe(false)
})

describe('an answer', () => {
  const call = (id: number | null, requestState: string, action = 'accept', by = token) =>
    post(
      app,
      'tools/call',
      {
        name: 'notes_remove',
        arguments: { id },
        ...(requestState && { requestState, inputResponses: { confirm: { action, content: {} } } })
      },
      { token: by }
    )
  const ask = async (id: number | null) => (await call(id, '')).body.result.requestState as string
  const toText = ({ body }: any) => body.result.content[0].text

  it('counts once', async () => {
    const state = await ask(0)

    expect((await call(0, state)).body.result.isError).toBeUndefined()
    await app.service('notes').create({ id: 0, text: 'again', state: 'open', secret: 's', ownerId: 1 } as any)
    expect(toText(await call(0, state))).toMatch(/^The confirmation was used already/)
    expect(await count()).toBe(2)
  })

  it('counts once of several at one time', async () => {
    const name = 'notes_create'
    const args = { data: [{ text: 'x' }, { text: 'y' }] }
    const first = await post(app, 'tools/call', { name, arguments: args }, { token })
    const { requestState } = first.body.result
    const params = { name, arguments: args, requestState, inputResponses: { confirm: { action: 'accept' } } }
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => post(app, 'tools/call', params, { token }))
    )

    expect(answers.filter(({ body }) => body.result.isError)).toHaveLength(9)
    expect(await count()).toBe(4)
  })

  it('counts for the same arguments, user and tool alone', async () => {
    const state = await ask(0)

    for (const other of [
      await call(1, state),
      await call(0, state, 'accept', await getToken(app, 2)),
      await post(
        app,
        'tools/call',
        {
          name: 'notes_patch',
          arguments: { id: null, data: { text: 'x' } },
          requestState: state,
          inputResponses: { confirm: { action: 'accept' } }
        },
        { token }
      ),
      await call(0, `${state.slice(0, -9)}AAAAAAAAA`),
      await call(0, 'v1.e30.e30')
    ]) {
      expect(toText(other)).toMatch(/^The confirmation is not valid for this call, or has expired/)
    }

    expect(await count()).toBe(2)
    expect((await call(0, state)).body.result.isError).toBeUndefined()
  })

  it('that cannot be used is an error without its text, which the application gets', async () => {
    const other = await createApp({}, (one) => {
      configureNotes(one)

      const store = new MemoryRevocationStore()
      const revocation = {
        isRevoked: (id: string) => store.isRevoked(id),
        revoke: async () => Promise.reject(new Error('connect ECONNREFUSED db.internal:6379'))
      }

      one.set('authentication', { ...one.get('authentication'), revocation })
    })
    const reported: Error[] = []
    const by = { token: await getToken(other, 1) }
    const removal = { name: 'notes_remove', arguments: { id: 0 } }
    const asked = await post(other, 'tools/call', removal, by)
    const { requestState } = asked.body.result
    const answered = { ...removal, requestState, inputResponses: { confirm: { action: 'accept' } } }
    const environment = process.env.NODE_ENV

    other.on('error', (error: Error) => reported.push(error))
    process.env.NODE_ENV = 'production'

    try {
      const { result } = (await post(other, 'tools/call', answered, by)).body

      expect(result.isError).toBe(true)
      expect(result.content[0].text).toBe('GeneralError: An unexpected error occurred on the server')
    } finally {
      process.env.NODE_ENV = environment
    }

    expect(reported.map(({ message }) => message)).toEqual(['connect ECONNREFUSED db.internal:6379'])
  })

  it('counts for ten minutes', async () => {
    const state = await ask(0)

    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 601_000 })

    try {
      expect(toText(await call(0, state))).toMatch(/has expired/)
    } finally {
      vi.useRealTimers()
    }

    expect(await count()).toBe(2)
  })

  it('without a state, or without an answer, asks again', async () => {
    const state = await ask(0)
    const unsigned = {
      name: 'notes_remove',
      arguments: { id: 0 },
      inputResponses: { confirm: { action: 'accept' } }
    }
    const unanswered = { name: 'notes_remove', arguments: { id: 0 }, requestState: state }

    for (const params of [unsigned, unanswered]) {
      expect((await post(app, 'tools/call', params, { token })).body.result.resultType).toBe('input_required')
    }

    expect(await count()).toBe(2)
  })
})

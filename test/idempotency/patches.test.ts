import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { access } from '../../src/access.ts'
import { createHandler } from '../../src/fetch.ts'
import { idempotency } from '../../src/idempotency.ts'
import { type Application, alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'

const OWNED = { text: 'a', owner: 'ada', version: 1 }

/** Notes whose records a hook limits to those of Ada. */
async function open(options: object = {}, limits = true) {
  const app: Application<any> = alula()

  app.configure(idempotency())
  app.use('notes', memory({ startId: 1 }), { methods: ['create', 'patch'], ...options })
  app.service('notes').hooks({
    before: {
      patch: [
        ({ params }: any) => {
          if (limits && params.provider) params.query = { ...params.query, owner: 'ada' }
        }
      ]
    }
  })
  await app.setup()

  const notes: any = app.service('notes')
  const handle = createHandler(app, { logger: false })
  /** Sends a patch with a new key; returns what sends it again. */
  const patch = async (path: string, data: object) => {
    const key = randomUUID()
    const send = async () => {
      const response = await handle(
        new Request(`http://localhost/notes/${path}`, {
          method: 'PATCH',
          headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
          body: JSON.stringify(data)
        })
      )

      return [response.status, await response.json()] as const
    }

    return { first: await send(), send }
  }

  await notes.create(OWNED)

  return { notes, patch }
}

it.each([
  [
    'converts',
    { schema: schema(z.object({ id: z.int(), version: z.int(), text: z.string(), owner: z.string() })) }
  ],
  ['does not know', {}]
])(
  'a patch that changes the field of its own condition, which a schema %s, is repeated',
  async (_, options) => {
    const { notes, patch } = await open(options)
    const { first, send } = await patch('1?version=1', { version: 2 })

    expect(first).toEqual([200, { ...OWNED, id: 1, version: 2 }])
    await notes.patch(1, { version: 3 })
    expect(await send()).toEqual(first)
  }
)

it.each(['', '?owner=ada', '?owner=ada&text=a', '?owner[$in][]=ada'])(
  'a patch of 1%s is not repeated once the condition of a hook no longer holds',
  async (query) => {
    const { notes, patch } = await open()
    const { first, send } = await patch(`1${query}`, { text: 'b' })

    expect(first).toEqual([200, { ...OWNED, id: 1, text: 'b' }])
    expect(await send()).toEqual(first)
    await notes.patch(1, { owner: 'eve' })
    expect((await send())[0]).toBe(404)
  }
)

it('a patch that selects fields and sorts is repeated', async () => {
  const { patch } = await open()
  const { first, send } = await patch('1?$select[]=text&$sort[text]=1&$limit=1', { text: 'b' })

  expect(first).toEqual([200, { id: 1, text: 'b' }])
  expect(await send()).toEqual(first)
})

it('a patch under a rule is not repeated once the condition of a hook no longer holds', async () => {
  const { notes, patch } = await open({ access: access({ patch: () => ({ version: 1 }) }) })
  const { first, send } = await patch('1', { text: 'b' })

  expect(await send()).toEqual(first)
  await notes.patch(1, { owner: 'eve' })
  expect((await send())[0]).toBe(404)
})

it.each([
  ['a hook', {}],
  ['a rule', { access: access({ patch: () => ({ owner: 'ada' }) }) }]
])('a patch under %s finds its record by id, whatever field names it', async (_, options) => {
  const { notes, patch } = await open({ by: 'text', ...options }, !('access' in options))
  const { first, send } = await patch('a', { text: 'b' })

  expect(first).toEqual([200, { ...OWNED, id: 1, text: 'b' }])
  // Another record has the name.
  await notes.create({ ...OWNED, owner: 'eve' })
  expect(await send()).toEqual(first)
  await notes.patch(1, { owner: 'eve' })
  expect((await send())[0]).toBe(404)
})

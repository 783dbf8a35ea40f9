import { expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone, user } from '../../src/access.ts'
import { createHandler } from '../../src/fetch.ts'
import { alula, type HookContext } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { many, schema } from '../../src/schema.ts'

// A hook may make the calls inside a call internal. What the client of the outer call gets stays what it may see.

const Note = z.object({ id: z.int(), text: z.string(), key: z.string().optional() })

async function start(hooks: object) {
  const app = alula()

  app.use('notes', memory({ startId: 2, store: { 1: { id: 1, text: 'a', key: 'k', other: 'o' } } }), {
    schema: schema(Note, {
      hidden: ['key'],
      relations: { comments: many('comments', { to: 'noteId' }), drafts: many('drafts', { to: 'noteId' }) }
    }),
    access: access({ all: anyone })
  })
  app.use('comments', memory({ store: { 1: { id: 1, noteId: 1, key: 'k' } } }), {
    schema: schema(z.object({ id: z.int(), noteId: z.int(), key: z.string() }), { hidden: ['key'] }),
    access: access({ all: anyone })
  })
  app.use('drafts', memory({ store: { 1: { id: 1, noteId: 1 } } }), {
    schema: schema(z.object({ id: z.int(), noteId: z.int() })),
    access: access({ all: user })
  })
  app.service('notes').hooks(hooks)
  await app.setup()

  const handle = createHandler(app)

  return async (path: string, init?: RequestInit) =>
    (await handle(new Request(`http://localhost/${path}`, init))).json()
}

const dropProvider = async (context: HookContext): Promise<void> => {
  const { provider, ...params } = context.params

  context.params = params
}

it.each([
  ['before', { before: { all: [dropProvider] } }],
  ['after', { after: { all: [dropProvider] } }]
])('%s the method, a hook that drops the provider shows no hidden field', async (_name, hooks) => {
  const send = await start(hooks)
  const post = { method: 'POST', body: '{"text":"b"}', headers: { 'Content-Type': 'application/json' } }

  expect(await send('notes')).toEqual([{ id: 1, text: 'a' }])
  expect(await send('notes/1')).toEqual({ id: 1, text: 'a' })
  expect(await send('notes', post)).toEqual({ id: 2, text: 'b' })
})

it.each([
  ['before', { before: { all: [dropProvider] } }],
  ['after', { after: { all: [dropProvider] } }]
])(
  '%s the method, it shows no hidden field of related records, and none that are not allowed',
  async (_name, hooks) => {
    const send = await start(hooks)

    expect(await send('notes/1?$include=comments&$include=drafts')).toEqual({
      id: 1,
      text: 'a',
      comments: [{ id: 1, noteId: 1 }],
      drafts: []
    })
  }
)

import { expect, it } from 'vitest'
import { idempotency } from '../../src/idempotency.ts'
import { configureNotes, createApp, getToken } from './support/application.ts'
import { CLIENTS } from './support/clients.ts'

it.each(Object.entries(CLIENTS))('%s repeats a call with a key in _meta', async (_name, open) => {
  const app = await createApp({}, (opened) => {
    opened.configure(idempotency())
    configureNotes(opened)
  })
  const ada = await open(app, { token: await getToken(app, 1) })
  const grace = await open(app, { token: await getToken(app, 2) })
  const note = { data: { text: 'milk' } }
  const key = { idempotencyKey: 'a key of the agent' }
  const first = await ada.call('notes_create', note, { idempotencyKey: 'a-key' })

  expect(first.json).toMatchObject({ text: 'milk', ownerId: 1 })
  expect((await ada.call('notes_create', note, { idempotencyKey: 'a-key' })).text).toBe(first.text)
  expect(await app.service('notes').find({ paginate: false } as any)).toHaveLength(1)

  const ofGrace = await grace.call('notes_create', note, { idempotencyKey: 'a-key' })

  expect(ofGrace.json).toMatchObject({ ownerId: 2 })

  const other = await ada.call('notes_create', { data: { text: 'tea' } }, { idempotencyKey: 'a-key' })

  expect([other.isError, other.text]).toEqual([true, expect.stringMatching(/^Unprocessable: /)])

  const wrong = await ada.call('notes_create', note, key)

  expect([wrong.isError, wrong.text]).toEqual([
    true,
    expect.stringMatching(/^BadRequest: Invalid '_meta.idempotencyKey'/)
  ])
})

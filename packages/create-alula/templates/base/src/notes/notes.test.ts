import { createTestClient, loginAs } from 'alula-testing'
import { expect, it } from 'vitest'
import { app } from '../app.ts'
import { createUser } from '../test/users.ts'

it('a note belongs to the user who creates it', async () => {
  const user = await createUser()
  const client = await loginAs(app, user)
  const response = await client.fetch('/notes', { json: { text: ' Buy milk ' } })

  expect(response.status).toBe(201)
  expect(await response.json()).toMatchObject({ text: 'Buy milk', done: false, ownerId: user.id })
})

it('a note is loaded with its owner', async () => {
  const user = await createUser()
  const client = await loginAs(app, user)
  const { id } = await app.service('notes').create({ text: 'Buy milk' }, client.params)
  const response = await client.fetch(`/notes/${id}?$include=owner`)

  expect(await response.json()).toMatchObject({ owner: { id: user.id, email: user.email } })
})

it('the notes of others are not found', async () => {
  const { id } = await app.service('notes').create({ text: 'Buy milk' }, { user: await createUser() })
  const other = await loginAs(app, await createUser())

  expect((await other.fetch(`/notes/${id}`)).status).toBe(404)
  expect((await createTestClient(app).fetch(`/notes/${id}`)).status).toBe(401)
})

it('an invalid field is named in the error', async () => {
  const client = await loginAs(app, await createUser())
  const response = await client.fetch('/notes', { json: { text: 'Buy milk', ownerId: 1 } })

  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ errors: { ownerId: 'is set by the server' } })
})

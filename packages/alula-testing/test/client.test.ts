import { expect, it } from 'vitest'
import { authenticate } from '../../../src/authentication.ts'
import { alula } from '../../../src/index.ts'
import { memory } from '../../../src/memory.ts'
import { configureLogin } from '../../../test/support/login.ts'
import { createTestClient, loginAs } from '../src/index.ts'

/** An application with users, and messages that only who is logged in can see. */
async function createApplication(settings: object = {}): Promise<any> {
  const app: any = alula()

  configureLogin(app, { settings })
  app.use('messages', memory())
  app.service('messages').hooks({
    around: { all: [authenticate('jwt')] },
    before: { create: [setOwner] }
  })
  await app.setup()

  return app
}

async function setOwner(context: any): Promise<void> {
  context.data = { ...context.data, owner: context.params.user.name }
}

it('a client sends requests without a port', async () => {
  const { fetch } = createTestClient(await createApplication())
  const created = await fetch('/users', { json: { name: 'Ada' } })
  const found = await fetch('/users?name=Ada')
  const patched = await fetch('/users/0', { method: 'PATCH', json: { name: 'Grace' } })

  expect([created.status, await created.json()]).toEqual([201, { id: 0, name: 'Ada' }])
  expect(await found.json()).toEqual([{ id: 0, name: 'Ada' }])
  expect(await patched.json()).toEqual({ id: 0, name: 'Grace' })
})

it('errors come as they do over HTTP', async () => {
  const { fetch, params } = createTestClient(await createApplication())

  expect((await fetch('/nowhere')).status).toBe(404)
  expect((await fetch('/messages')).status).toBe(401)
  expect((await fetch('/users', { method: 'POST', body: '{' })).status).toBe(415)
  expect(params).toMatchObject({ provider: 'rest', query: {}, headers: {} })
})

it('a user calls over HTTP and with params, through the same hooks', async () => {
  const app = await createApplication()
  const ada = await loginAs(app, await app.service('users').create({ name: 'Ada' }))

  expect(await (await ada.fetch('/messages', { json: { text: 'Hello' } })).json()).toEqual({
    id: 0,
    text: 'Hello',
    owner: 'Ada'
  })
  expect(await app.service('messages').create({ text: 'Again' }, ada.params)).toMatchObject({ owner: 'Ada' })
  expect(await app.service('messages').find({ ...ada.params, query: { text: 'Again' } })).toHaveLength(1)
  await expect(app.service('messages').find(createTestClient(app).params)).rejects.toThrow(
    'Not authenticated'
  )
})

it('the token of a user is a real one', async () => {
  const active = { isActive: true }
  const app = await createApplication({ isActive: () => active.isActive })
  const ada = await loginAs(app, await app.service('users').create({ name: 'Ada' }))

  expect((await ada.fetch('/messages')).status).toBe(200)
  active.isActive = false
  expect((await ada.fetch('/messages')).status).toBe(401)
  active.isActive = true
  expect((await ada.fetch('/authentication', { method: 'DELETE' })).status).toBe(200)
  expect((await ada.fetch('/messages')).status).toBe(401)
})

it('a login goes by the header and the scheme that the strategy takes', async () => {
  const app = await createApplication({ jwt: { header: 'X-Token', schemes: ['Token'] } })
  const ada = await loginAs(app, await app.service('users').create({ name: 'Ada' }))

  expect((await ada.fetch('/messages')).status).toBe(200)
})

it('a login without a scheme is a header with the token alone', async () => {
  const app = await createApplication({ jwt: { header: 'X-Token', schemes: [] } })
  const ada = await loginAs(app, await app.service('users').create({ name: 'Ada' }))

  expect((await ada.fetch('/messages')).status).toBe(200)
})

it('headers of a request count for more than those of the client', async () => {
  const app = await createApplication()
  const ada = await loginAs(app, await app.service('users').create({ name: 'Ada' }))
  const json = { text: 'Hello' }

  expect((await ada.fetch('/messages', { headers: { Authorization: 'Bearer none' } })).status).toBe(401)
  expect((await ada.fetch('/messages', { json, headers: { 'Content-Type': 'text/plain' } })).status).toBe(415)
})

it('params are new ones each time', async () => {
  const app = await createApplication()
  const ada = await loginAs(app, await app.service('users').create({ name: 'Ada' }))

  ada.params.query = { text: 'Hello' }
  expect(ada.params.query).toEqual({})
})

it.each([
  [
    'a request before set-up',
    async () => createTestClient(alula()).fetch('/messages'),
    'await app.setup() first'
  ],
  [
    'a login without an authentication service',
    async () => loginAs(alula(), { id: 1 }),
    'no authentication service'
  ],
  ['nobody', async () => loginAs(await createApplication(), undefined as any), 'loginAs expects the entity'],
  [
    'a promise of a user',
    async () => loginAs(await createApplication(), Promise.resolve({ id: 1 })),
    'await it'
  ],
  [
    'a user without an id',
    async () => loginAs(await createApplication(), {}),
    'Can not set subject from user.id'
  ]
])('%s is met by a sentence', async (_title, act, sentence) => {
  await expect(act()).rejects.toThrow(sentence)
})

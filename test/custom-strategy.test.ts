import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
// @ts-expect-error It is plain JavaScript.
import { ApiKeyStrategy, createApiKey, requireRight } from '../examples/custom-strategy/api-key.js'
import { AuthenticationService, authenticate } from '../src/authentication.ts'
import { alula } from '../src/index.ts'
import { memory } from '../src/memory.ts'
import { runExample } from './support/example.ts'
import { readBlocks } from './support/page.ts'
import { expectSession } from './support/session.ts'

const README = resolve(import.meta.dirname, '../examples/custom-strategy/README.md')
const INVALID = { name: 'NotAuthenticated', message: 'Invalid API key' }

/** An application with a user, a key of this user, and a service that tells who calls. */
async function createApp(settings = {}): Promise<any> {
  const app: any = alula()
  const { id, key, digest } = createApiKey()

  app.set('authentication', {
    secret: 'a secret for the tests of the example, long enough',
    service: 'users',
    entity: 'user',
    parseStrategies: ['apiKey'],
    apiKey: { header: 'x-api-key', keys: 'keys' },
    ...settings
  })

  const authentication = new AuthenticationService(app)

  authentication.register('apiKey', new ApiKeyStrategy())
  app.use('authentication', authentication)
  app.use('users', memory())
  app.use('keys', memory())
  app.use('whoami', { find: async (params: any) => params })
  app.service('whoami').hooks({ before: { find: [authenticate('apiKey'), requireRight('read')] } })
  await app.setup()

  const user = await app.service('users').create({ name: 'Ada' })

  await app.service('keys').create({ id, digest, owner: user.id, rights: ['read'] })

  const call = (sent: unknown) =>
    app.service('whoami').find({ provider: 'rest', authentication: { strategy: 'apiKey', key: sent } })

  return { app, key, id, user, call }
}

it('the README shows what happens', async () => {
  const example = await runExample('custom-strategy/app.js')
  const [start, session] = readBlocks(await readFile(README, 'utf8'), 'console') as [string, string]

  expect(start).toBe(
    `$ node examples/custom-strategy/app.js\n${example.lines[0]?.replace(example.url, 'http://localhost:3030')}\n`
  )
  await expectSession([session], { 'localhost:3030': example.url })
  // No key was printed.
  expect(example.lines).toHaveLength(1)
  expect(await example.stop()).toBe(0)
})

it('a key acts for its user, and is neither on params nor among what is stored', async () => {
  const { app, key, id, user, call } = await createApp()
  const params = await call(key)

  expect(params).toMatchObject({ user, apiKey: { id, rights: ['read'] } })

  const secret = key.slice(23) // it may have a '_' itself

  expect(JSON.stringify(params)).not.toContain(secret)
  expect(JSON.stringify(await app.service('keys').find())).not.toContain(secret)
})

it('whatever is wrong with a key, the answer is the same', async () => {
  const { key, call } = await createApp()
  const another = createApiKey().key
  const wrong = [
    '',
    'alula_',
    another,
    key.slice(0, -1),
    `${key}x`,
    key.toUpperCase(),
    // The id of one and the secret of another.
    key.slice(0, 23) + another.slice(23),
    [key],
    { toString: () => key },
    null,
    undefined
  ]

  for (const sent of wrong) await expect(call(sent), String(sent)).rejects.toMatchObject(INVALID)
})

it('a key ends when it is removed, when its user is, and when its user is not active any more', async () => {
  const removed = await createApp()

  await removed.app.service('keys').remove(removed.id)
  await expect(removed.call(removed.key)).rejects.toMatchObject(INVALID)

  const orphaned = await createApp()

  await orphaned.app.service('users').remove(orphaned.user.id)
  await expect(orphaned.call(orphaned.key)).rejects.toMatchObject(INVALID)

  const inactive = await createApp({ isActive: (user: any) => !user.isLocked })

  await inactive.app.service('users').patch(inactive.user.id, { isLocked: true })
  await expect(inactive.call(inactive.key)).rejects.toMatchObject({ code: 401 })
})

it('a key without the right is a 403', async () => {
  const { app, key, id, call } = await createApp()

  await app.service('keys').patch(id, { rights: ['write'] })
  await expect(call(key)).rejects.toMatchObject({ code: 403, message: "This key has no right 'read'" })
})

it('a setting that leaves something out is an error at registration', async () => {
  await expect(createApp({ apiKey: { header: 'x-api-key' } })).rejects.toThrow("'apiKey' needs 'keys'")
})

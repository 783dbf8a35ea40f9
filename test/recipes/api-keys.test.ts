import { expect, it } from 'vitest'
import { readBlocks, readPage } from '../support/page.ts'
import { runServer } from '../support/program.ts'
import { extendOwnNotes } from './own-notes.ts'

const [recipe, declared] = readBlocks(await readPage('recipes/05-api-keys'), 'js') as [string, string]

/** What the section on schemas replaces. */
const KEYS = /^\/\/ In SQL with a unique index[\s\S]*?(?=^\/\/ The services that accept keys)/m

const APPLICATIONS = [
  // Without a schema, what a client sends beside the name is ignored.
  { name: 'without a schema', code: recipe, more: { userId: 2, hash: 'mine', key: 'mine' } },
  { name: 'with a schema', code: recipe.replace(KEYS, () => `${declared}\n`), more: {} }
]

const LISTENERS = `
app.service('keys').on('created', () => console.log('event with a key'))
app.service('keys').on('removed', () => console.log('event removed'))
app.set('authentication', { ...app.get('authentication'), isActive: ({ blocked }) => !blocked })
app.use('blocks', { create: ({ id, blocked }) => app.service('users').patch(id, { blocked }) })
app.use('removals', { create: ({ id }) => app.service('users').remove(id) })
app.use('stored', { find: () => app.service('keys').find() })`

const SECRET = 'a secret of more than thirty-two bytes'

async function start(code: string) {
  const { address, waitFor } = await runServer(extendOwnNotes(code, LISTENERS), { SECRET })
  const [ada, grace] = (await waitFor('tokens'))
    .split(' ')
    .slice(1)
    .map((token) => ({ Authorization: `Bearer ${token}` })) as [object, object]

  async function call(path: string, headers: object, method = 'GET', data?: object) {
    const response = await fetch(`http://${address}/${path}`, {
      method,
      headers: { ...(headers as Record<string, string>), 'Content-Type': 'application/json' },
      ...(data && { body: JSON.stringify(data) })
    })

    return { status: response.status, body: (await response.json()) as any }
  }

  return { ada, grace, call, waitFor }
}

it.each(APPLICATIONS)(
  'a key is shown once, acts for its user where keys are open, and ends when it is removed, $name',
  async ({ code, more }) => {
    const { ada, grace, call, waitFor } = await start(code)
    const { body: made } = await call('keys', ada, 'POST', { name: 'backup', ...more })
    const key = { 'X-API-Key': made.key }

    expect(made).toEqual({
      id: 1,
      name: 'backup',
      userId: 1,
      createdAt: expect.any(String),
      key: expect.stringMatching(/^alula_[\w-]{43}$/)
    })
    expect((await call('keys', ada)).body).toEqual([{ ...made, key: undefined }])
    expect(JSON.stringify((await call('stored', {})).body)).not.toContain(made.key)

    expect((await call('notes', key, 'POST', { text: 'Plans' })).body).toMatchObject({ userId: 1 })
    expect((await call('notes', key)).body).toHaveLength(1)
    expect((await call('notes', grace)).body).toEqual([])

    // No more than the notes.
    expect((await call('keys', key)).status).toBe(403)
    expect((await call('keys', key, 'POST', { name: 'another' })).status).toBe(403)
    expect((await call(`keys/${made.id}`, key, 'DELETE')).status).toBe(403)
    expect((await call('authentication', {}, 'POST', { strategy: 'apiKey', key: made.key })).status).toBe(401)

    // No other key, and no other owner.
    expect((await call('notes', { 'X-API-Key': `${made.key.slice(0, -1)}!` })).status).toBe(401)
    expect((await call('notes', { 'X-API-Key': '' })).status).toBe(401)
    expect((await call('keys', grace)).body).toEqual([])
    expect((await call(`keys/${made.id}`, grace, 'DELETE')).status).toBe(404)
    expect((await call('keys?hash[$gt]=0', ada)).status).toBe(400)
    expect((await call('keys', ada, 'POST', { name: { $gt: '' } })).status).toBe(400)

    expect((await call(`keys/${made.id}`, ada, 'DELETE')).body).not.toHaveProperty('key')
    // The first one: nothing that listens gets a key.
    expect(await waitFor('event')).toBe('event removed')
    expect((await call('notes', key)).status).toBe(401)
  }
)

it.each(APPLICATIONS)('a key ends with its user, $name', async ({ code }) => {
  const { grace, call } = await start(code)
  const { key } = (await call('keys', grace, 'POST', { name: 'backup' })).body

  expect((await call('notes', { 'X-API-Key': key })).status).toBe(200)
  await call('blocks', {}, 'POST', { id: 2, blocked: true })
  expect((await call('notes', { 'X-API-Key': key })).status).toBe(401)
  await call('blocks', {}, 'POST', { id: 2, blocked: false })
  expect((await call('notes', { 'X-API-Key': key })).status).toBe(200)
  await call('removals', {}, 'POST', { id: 2 })
  expect((await call('notes', { 'X-API-Key': key })).status).toBe(401)
})

it('with a schema, a client sets neither the hash nor the owner of a key', async () => {
  const { ada, call } = await start(recipe.replace(KEYS, () => `${declared}\n`))

  for (const more of [{ hash: 'mine' }, { userId: 2 }, { key: 'mine' }]) {
    expect((await call('keys', ada, 'POST', { name: 'backup', ...more })).status).toBe(400)
  }
})

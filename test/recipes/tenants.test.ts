import { once } from 'node:events'
import { io } from 'socket.io-client'
import { expect, it, onTestFinished } from 'vitest'
import { readBlocks, readPage } from '../support/page.ts'
import { runServer } from '../support/program.ts'
import { extendOwnNotes } from './own-notes.ts'

const [recipe] = readBlocks(await readPage('recipes/07-tenants'), 'js') as [string]

/** Grace is of the second tenant, and a third user, of none. */
const MEMBERS = `
app.service('users').hooks({
  before: {
    create: [
      (context) => {
        const { name } = context.data

        context.data = { name, tenantId: { ada: 1, grace: 2 }[name] ?? null, role: name === 'ada' ? 'admin' : 'member' }
      }
    ]
  }
})
app.use('nothing', memory())`

const OTHERS = `
const { id } = await app.service('users').create({ name: 'eve' })

await app.service('projects').create({ name: 'Of nobody', tenantId: null })
console.log('nobody', await authentication.createAccessToken({}, { subject: String(id) }))`

async function start() {
  const { address, waitFor } = await runServer(`${extendOwnNotes(recipe, MEMBERS)}\n${OTHERS}`, {
    SECRET: 'a secret of more than thirty-two bytes'
  })
  const [ada, grace] = (await waitFor('tokens')).split(' ').slice(1) as [string, string]
  const eve = (await waitFor('nobody')).split(' ')[1] as string

  async function call(path: string, token: string, method = 'GET', data?: object) {
    const response = await fetch(`http://${address}/${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      ...(data && { body: JSON.stringify(data) })
    })

    return { status: response.status, body: (await response.json()) as any }
  }

  return { address, ada, grace, eve, call }
}

it('members reach the records of their tenant alone', async () => {
  const { ada, grace, eve, call } = await start()
  const status = async (...[path, token, method, data]: Parameters<typeof call>) =>
    (await call(path, token, method, data)).status

  const made = await call('projects', ada, 'POST', { name: 'Engine', tenantId: 2 })

  expect(made.body).toEqual({ name: 'Engine', tenantId: 1, id: 2 })
  expect(
    (await call('projects', grace, 'POST', [{ name: 'A' }, { name: 'B', tenantId: 1 }])).body
  ).toMatchObject([{ tenantId: 2 }, { tenantId: 2 }])

  expect((await call('projects', ada)).body).toHaveLength(1)
  expect((await call('projects?tenantId=1', grace)).body).toEqual([])
  expect(await status('projects/2', grace)).toBe(404)
  expect(await status('projects/2', grace, 'PATCH', { name: 'Taken' })).toBe(404)
  expect(await status('projects/2', grace, 'PUT', { name: 'Taken' })).toBe(404)
  expect(await status('projects/3', grace, 'PATCH', { tenantId: 1 })).toBe(403)

  // Without a tenant, a role or a rule.
  expect(await status('projects', eve)).toBe(403)
  expect(await status('projects', eve, 'POST', { name: 'C' })).toBe(403)
  expect(await status('projects/3', grace, 'DELETE')).toBe(403)
  expect(await status('projects/3', ada, 'DELETE')).toBe(404)
  expect(await status('nothing', ada)).toBe(403)

  // What a record refers to.
  expect(await status('tasks', grace, 'POST', { projectId: 2 })).toBe(404)
  expect(await status('tasks', grace, 'POST', { projectId: 3 })).toBe(201)
  expect(await status('tasks/1', grace, 'PATCH', { projectId: 2 })).toBe(404)
  expect(await status('tasks', grace, 'POST', [{ projectId: 3 }, { projectId: 2 }])).toBe(404)

  expect(await status('projects/2', ada, 'DELETE')).toBe(200)
})

it('members get the events of their tenant alone', async () => {
  const { address, ada, grace, call } = await start()
  const socket = io(`http://${address}`, { transports: ['websocket'] })

  onTestFinished(() => void socket.close())
  await socket.emitWithAck('create', 'authentication', { strategy: 'jwt', accessToken: grace })

  const created = once(socket as any, 'projects created')

  await call('projects', ada, 'POST', { name: 'Engine' })
  await call('projects', grace, 'POST', { name: 'Compiler' })

  const [record] = await created

  expect(record).toMatchObject({ name: 'Compiler', tenantId: 2 })
})

import { once } from 'node:events'
import { io } from 'socket.io-client'
import { expect, it, onTestFinished } from 'vitest'
import { readBlocks, readPage, toLocal, toModule } from '../support/page.ts'
import { runServer, runToEnd } from '../support/program.ts'
import { extendOwnNotes, OWN_NOTES } from './own-notes.ts'

const [recipe, roles, proof, invitations] = readBlocks(await readPage('recipes/07-tenants'), 'js') as [
  ...[string, string, string, string]
]

const SECRET = 'a secret of more than thirty-two bytes'

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
  const { address, waitFor } = await runServer(`${extendOwnNotes(recipe, MEMBERS)}\n${OTHERS}`, { SECRET })
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

/** An application with users, and without sockets, which need a server. */
const TEAM_APP = OWN_NOTES.replace(/^app\.use\('notes'[\s\S]*/m, '').replace('app.configure(socketio())', '')

it('roles in a team of the path are proved', async () => {
  const printed = await runToEnd(toModule(TEAM_APP, roles, 'await app.setup()', toLocal(proof)), { SECRET })

  expect(printed.join('\n')).toMatch(
    /teams\/:team\/projects\.remove: admin 200, 404; nobody 401; user 404; owner 403/
  )
})

it('a rule that returns false for the team of others is found', async () => {
  const wrong = roles.replace(/^ {2}const \{ id \} = .*$/m, '  const id = Number(route.team)')

  expect(wrong).not.toBe(roles)

  const caught = `${proof.replace('await proveExposure', 'const proved = proveExposure')}
await proved.catch(({ message }) => console.log(message))`

  expect(
    (await runToEnd(toModule(TEAM_APP, wrong, 'await app.setup()', toLocal(caught)), { SECRET })).join('\n')
  ).toContain("the path names a record of 'teams' that is not there, and the response is 403")
})

/** The members that have come by an invitation. */
const JOINED = `
app.use('joined', {
  async find() {
    const members = await app.service('members').find({ query: { userId: 3 } })

    return Promise.all(
      members.map(async ({ userId, role }) => ({ email: (await app.service('users').get(userId)).email, role }))
    )
  }
})`

it('an invitation makes an account and a member, once', async () => {
  const { address, waitFor } = await runServer(
    `${extendOwnNotes(roles, "const sendMail = async (email, text) => console.log('mail', email, text)", invitations, JOINED)}
await app.service('teams').create({ name: 'Red' })
await app.service('members').create({ teamId: 1, userId: 1, role: 'admin' })
await app.service('members').create({ teamId: 1, userId: 2, role: 'member' })
console.log('ready')`,
    { SECRET, INVITE_SECRET: `${SECRET}, for invitations` }
  )
  const [ada, grace] = (await waitFor('tokens')).split(' ').slice(1)
  const post = async (path: string, data: object, token?: string) => {
    const response = await fetch(`http://${address}/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
      body: JSON.stringify(data)
    })

    return response.status
  }
  const invitation = { email: 'eve@example.com', role: 'member' }
  const invite = (token?: string, path = 'teams/1/invitations') => post(path, invitation, token)

  await waitFor('ready')
  expect([await invite(), await invite(grace), await invite(ada, 'teams/2/invitations')]).toEqual([
    401, 403, 404
  ])
  expect(await invite(ada)).toBe(201)

  const code = (await waitFor('mail eve@example.com')).split('#')[1] as string
  const password = 'correct horse'

  expect(await post('joins', { code, password: 'short' })).toBe(400)
  expect(await post('joins', { code: code.slice(4), password })).toBe(401)
  expect(await post('joins', { code, password })).toBe(201)
  expect(await post('joins', { code, password })).toBe(401)

  // The same address again: the program has no unique index on the members.
  expect(await invite(ada)).toBe(201)

  const second = (await waitFor('mail eve@example.com')).split('#')[1] as string

  expect(await post('joins', { code: second, password })).toBe(201)
  expect(await (await fetch(`http://${address}/joined`)).json()).toEqual([
    { email: 'eve@example.com', role: 'member' },
    { email: 'eve@example.com', role: 'member' }
  ])
})

it('members get the events of their tenant alone', async () => {
  const { address, ada, grace, call } = await start()
  const socket = io(`http://${address}`, { transports: ['websocket'] })

  onTestFinished(() => void socket.close())
  await socket.emitWithAck('create', 'authentication', { strategy: 'jwt', accessToken: grace })

  const created = once(socket as any, 'projects created')

  await call('projects', ada, 'POST', { name: 'Engine' })
  await call('projects?$select=name', grace, 'POST', { name: 'Compiler' })

  const [record] = await created

  expect(record).toMatchObject({ name: 'Compiler', tenantId: 2 })
})

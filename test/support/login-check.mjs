// Loaded before a program of the documents or an example. Remembers the applications with logins that the program sets up,
// and attacks their users when the test asks for it, or before the application is torn down.
import { getServiceOptions } from 'alula'
import { exposure } from 'alula/access'
import { AuthenticationService } from 'alula/authentication'
import { createTestClient, loginAs } from 'alula-testing'

const PASSWORD = 'correct horse'
const STOLEN = 'stolen password'

/** The exit code of a program whose users are not safe. */
const UNSAFE = 70

/** Applications whose users have passwords, and what was found wrong with those that were torn down. */
const apps = new Set()
const found = []

const { setup } = AuthenticationService.prototype

AuthenticationService.prototype.setup = async function (...args) {
  const { app } = this
  const { teardown } = app

  app.teardown = async function (...rest) {
    if (apps.delete(app)) found.push(...(await attack(app)))

    return teardown.apply(this, rest)
  }

  await setup.apply(this, args)
  apps.add(app)
}

process.on('message', async (message) => {
  if (message !== 'check logins') return

  for (const app of apps) found.push(...(await attack(app)))
  apps.clear()
  process.send({ faults: found.splice(0) })
})
process.channel?.unref()

// A program that ends by itself is not asked any more.
process.on('exit', () => {
  if (found.length === 0) return

  console.error(found)
  process.exitCode = UNSAFE
})

/** A user that cannot be made, for example, would hide what is wrong. */
async function attack(app) {
  return await findFaults(app).catch((error) => [`The attack failed: ${error.stack}`])
}

async function findFaults(app) {
  const { service: path, entity, local } = app.defaultAuthentication().configuration

  if (!entity || !local || !app._isSetup) return []

  const service = app.service(path)
  const users = { app, path, service, address: local.usernameField, secret: local.passwordField }
  const sent = toUser(users, 'victim')
  const { [service.id]: id } = await service.create(sent)
  const other = await loginAs(app, await service.create(toUser(users, 'other')))
  const faults = [...listOpen(users), ...(await checkHash(users, 'An internal create', id, PASSWORD))]

  for (const [who, client] of [
    ['anonymous', createTestClient(app)],
    ['another user', other]
  ]) {
    faults.push(...(await attackReads(users, sent, id, who, client)))
    faults.push(...(await attackWrites(users, sent, id, who, client)))
  }

  return [...faults, ...(await attackSignUp(users)), ...(await attackOwnRecord(users, id))]
}

function toUser({ service, address, secret }, name) {
  const { schema } = getServiceOptions(service)
  const required = schema?.definition?.data.create?.required ?? []
  const others = required.map((field) => [field, `${name}.${Math.random()}`])

  return {
    ...Object.fromEntries(others),
    [address]: `${name}.${Math.random()}@example.org`,
    [secret]: PASSWORD
  }
}

/** Methods of the users that anyone may call, besides signing up. */
function listOpen({ app, path }) {
  return exposure(app)
    .filter(({ service, method, who }) => service === path && who === 'anyone' && method !== 'create')
    .map(({ method }) => `exposure: anyone may call '${method}' of '${path}'`)
}

async function attackReads({ path, address }, sent, id, who, client) {
  const faults = []

  for (const rest of [`/${encodeURIComponent(id)}`, '', `?${address}=${sent[address]}`]) {
    const response = await client.fetch(`/${path}${rest}`)
    const text = await response.text()

    if (response.ok && text.includes(sent[address]))
      faults.push(`GET /${path}${rest} by ${who} shows an address`)
    if (text.includes('$2b$')) faults.push(`GET /${path}${rest} by ${who} shows a hash`)
  }

  return faults
}

async function attackWrites({ path, service, address, secret }, sent, id, who, client) {
  const faults = []
  const changes = [{ [secret]: STOLEN }, { [address]: `${Math.random()}@example.net` }]
  const read = async () => JSON.stringify(await service._get(id).catch(() => 'removed'))

  for (const rest of [`/${encodeURIComponent(id)}`, '']) {
    for (const [method, bodies] of [
      ['PATCH', changes],
      ['PUT', changes.map((change) => ({ ...sent, ...change }))],
      ['DELETE', [undefined]]
    ]) {
      for (const json of bodies) {
        const before = await read()

        await client.fetch(`/${path}${rest}`, { method, json })
        if ((await read()) !== before) faults.push(`${method} /${path}${rest} by ${who} changes a record`)
      }
    }
  }

  return faults
}

async function attackSignUp(users) {
  const { app, path, service, address } = users
  const sent = toUser(users, 'new')
  const response = await createTestClient(app).fetch(`/${path}`, { json: sent })
  const faults = (await response.text()).includes('$2b$') ? [`POST /${path} shows a hash`] : []
  const query = { [address]: sent[address] }
  const [record] = [await service._find({ query, paginate: false })].flat()

  return record ? [...faults, ...(await checkHash(users, 'POST', record[service.id], PASSWORD))] : faults
}

async function attackOwnRecord(users, id) {
  const { app, path, service, secret } = users
  const record = await service._get(id).catch(() => undefined)

  if (!record) return []

  const own = await loginAs(app, record)

  await own.fetch(`/${path}/${encodeURIComponent(id)}`, { method: 'PATCH', json: { [secret]: STOLEN } })

  return checkHash(users, 'PATCH', id, STOLEN)
}

async function checkHash({ path, service, secret }, how, id, password) {
  const { [secret]: stored } = await service._get(id)

  return stored === password ? [`${how} of '${path}' stores a password without a hash`] : []
}

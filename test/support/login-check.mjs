// Loaded before a program of the documents or an example. Remembers the applications with logins that the program sets up,
// and attacks their users when the test asks for it, or before the application is torn down.
import { exposure } from 'alula/access'
import { AuthenticationService } from 'alula/authentication'
import { createTestClient, loginAs } from 'alula/testing'

const PASSWORD = 'correct horse'
const STOLEN = 'stolen password'

/** Applications whose users have passwords, and what was found wrong with those that were torn down. */
const apps = new Set()
const found = []

const { setup } = AuthenticationService.prototype

AuthenticationService.prototype.setup = async function (...args) {
  const { app } = this
  const { teardown } = app

  apps.add(app)
  app.teardown = async function (...rest) {
    if (apps.delete(app)) found.push(...(await attack(app)))

    return teardown.apply(this, rest)
  }

  return setup.apply(this, args)
}

process.on('message', async (message) => {
  if (message !== 'check logins') return

  for (const app of apps) found.push(...(await attack(app)))
  apps.clear()
  process.send({ faults: found.splice(0) })
})
process.channel?.unref()

/** A user that cannot be made, for example, would hide what is wrong. */
async function attack(app) {
  return await findFaults(app).catch((error) => [`The attack failed: ${error.stack}`])
}

async function findFaults(app) {
  const { service: path, entity, local } = app.defaultAuthentication().configuration

  if (!entity || !local || !app._isSetup) return []

  const { usernameField: address, passwordField: secret } = local
  const service = app.service(path)
  const read = async (id) => structuredClone(await service._get(id))
  const toUser = (name) => ({ [address]: `${name}.${Math.random()}@example.org`, [secret]: PASSWORD })

  const faults = listOpen(app, path)
  const sent = toUser('victim')
  // An application that logs in by a password has to take one with an address alone.
  const victim = await service.create(sent)
  const id = victim[service.id]
  const other = await loginAs(app, await service.create(toUser('other')))

  await checkHash(`create inside`, id, PASSWORD)

  for (const [who, client] of [
    ['anonymous', createTestClient(app)],
    ['another user', other]
  ]) {
    for (const [method, target] of [
      ['PATCH', id],
      ['PUT', id],
      ['DELETE', id],
      ['PATCH', null],
      ['DELETE', null]
    ]) {
      for (const change of [{ [secret]: STOLEN }, { [address]: 'x@example.org' }]) {
        const before = await read(id)
        const url = target === null ? `/${path}` : `/${path}/${encodeURIComponent(id)}`

        await client.fetch(url, {
          method,
          ...(method !== 'DELETE' && { json: { ...(method === 'PUT' && sent), ...change } })
        })

        const after = await read(id).catch(() => undefined)

        if (JSON.stringify(after) !== JSON.stringify(before)) {
          faults.push(`${method} ${url} by ${who} changes a record of '${path}'`)
          if (after === undefined) return faults
        }
      }
    }
    for (const url of [
      `/${path}/${encodeURIComponent(id)}`,
      `/${path}`,
      `/${path}?${address}=${sent[address]}`
    ]) {
      const response = await client.fetch(url)
      const text = await response.text()

      if (response.ok && text.includes(sent[address])) faults.push(`GET ${url} by ${who} shows an address`)
      if (text.includes('$2b$')) faults.push(`GET ${url} by ${who} shows a hash`)
    }
  }

  const signedUp = toUser('new')
  const response = await createTestClient(app).fetch(`/${path}`, { json: signedUp })

  if ((await response.text()).includes('$2b$')) faults.push(`POST /${path} shows a hash`)
  if (response.ok) {
    const [record] = [
      await service._find({ query: { [address]: signedUp[address] }, paginate: false })
    ].flat()

    if (record) await checkHash('POST', record[service.id], PASSWORD)
  }

  const own = await loginAs(app, await read(id))

  await own.fetch(`/${path}/${encodeURIComponent(id)}`, { method: 'PATCH', json: { [secret]: STOLEN } })
  await checkHash('PATCH', id, STOLEN)

  return faults

  async function checkHash(how, key, password) {
    if ((await read(key))[secret] === password)
      faults.push(`${how} of '${path}' stores a password without a hash`)
  }
}

/** Methods of the users that anyone may call, besides signing up. */
function listOpen(app, path) {
  return exposure(app)
    .filter(({ service, method, who }) => service === path && who === 'anyone' && method !== 'create')
    .map(({ method }) => `exposure: anyone may call '${method}' of '${path}'`)
}

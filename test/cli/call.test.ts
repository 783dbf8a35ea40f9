import { join } from 'node:path'
import { expect, it } from 'vitest'
import { callService } from '../../src/cli/call.ts'
import { UsageError } from '../../src/cli/command-outcome.ts'
import { createFolder } from '../support/command.ts'
import { prepareCommand, toApp } from './support/application.ts'

const SRC = `${import.meta.dirname}/../../src`

const runCommand = prepareCommand()

/** An application with logins by tokens, and by what else is registered. */
const toLogins = (strategies: string, services: string) => `import { owner } from '${SRC}/access.ts'
import { AuthenticationService, JWTStrategy, LocalStrategy } from '${SRC}/authentication.ts'
${toApp(`
app.set('authentication', {
  secret: 'a secret that is long enough for the algorithm',
  service: 'users',
  entity: 'user',
  authStrategies: [${strategies}],
  local: { usernameField: 'email', passwordField: 'password' }
})

const authentication = new AuthenticationService(app)

authentication.register('jwt', new JWTStrategy())
app.use('authentication', authentication)
${services}
`)}`

/** Two users, and a note of the first. */
const NOTES = toLogins(
  `'jwt', 'local'`,
  `
authentication.register('local', new LocalStrategy())
app.use('users', memory({ startId: 1 }), { methods: [] })
app.use('notes', memory({ startId: 1 }), { access: access({ all: owner('ownerId') }) })
await app.service('users').create({ email: 'ada@example.com' })
await app.service('users').create({ email: 'bob@example.com' })
await app.service('notes').create({ text: 'Hers', ownerId: 1 })
console.log('a line of the application')
`
)

const call = (...args: string[]) => runCommand({ 'app.mjs': NOTES }, 'call', ...args)

it('a call has the rights of its user, and prints the result alone', async () => {
  const hers = await call('notes', 'find', '{"query":{"text":"Hers"}}', '--as', 'ada@example.com')
  const his = await call('notes', 'find', '--as', 'bob@example.com')
  const refused = await call('notes', 'get', '{"id":1}', '--as', 'bob@example.com')

  expect(JSON.parse(hers.stdout)).toEqual([{ id: 1, text: 'Hers', ownerId: 1 }])
  expect(JSON.parse(his.stdout)).toEqual([])
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toContain("NotFound: No record found for id '1'")
})

it('what JSON does not have is printed as over HTTP', async () => {
  const files = {
    'app.mjs': `import { alula } from '${SRC}/index.ts'
export const app = alula()
app.use('sums', { get: async () => ({ small: 7n, large: 2n ** 60n }), find: async () => undefined })
`
  }
  const sums = await runCommand(files, 'call', 'sums', 'get', '{"id":1}')
  const nothing = await runCommand(files, 'call', 'sums', 'find')

  expect(JSON.parse(sums.stdout)).toEqual({ small: 7, large: String(2n ** 60n) })
  expect(JSON.parse(nothing.stdout)).toBeNull()
})

it('in an application that the API was added to, it is the API and not the application', async () => {
  const files = {
    'app.mjs': NOTES,
    'src/app.js': `console.log('the shop listens')`,
    'api/app.js': `export { default } from '../app.mjs'`,
    'api/mount.js': ''
  }
  const { stdout, stderr } = await runCommand(files, 'call', 'notes', 'find', '--as', 'ada@example.com')

  expect(JSON.parse(stdout)).toEqual([{ id: 1, text: 'Hers', ownerId: 1 }])
  expect(stderr).not.toContain('the shop listens')
})

it('the path of a service below a parent has the values of its placeholders', async () => {
  const files = {
    'app.mjs': `import { alula } from '${SRC}/index.ts'
export const app = alula()
app.use('rooms/:room/notes', { find: async ({ route }) => [route], get: async (id) => ({ id }) })
`
  }
  const found = await runCommand(files, 'call', 'rooms/blue/notes', 'find')
  const ofRecord = await runCommand(files, 'call', 'rooms/blue/notes/1', 'find')

  expect(JSON.parse(found.stdout)).toEqual([{ room: 'blue' }])
  expect(ofRecord.stderr).toContain("There is no service 'rooms/blue/notes/1'")
})

it('an id that is forgotten does not mean all records, and null does', async () => {
  const files = {
    'app.mjs': toApp(`app.use('notes', memory({ multi: true, store: { 1: { id: 1 }, 2: { id: 2 } } }))`)
  }
  const forgotten = await runCommand(files, 'call', 'notes', 'remove')
  const all = await runCommand(files, 'call', 'notes', 'remove', '{"id":null}')

  expect(forgotten).toMatchObject({ code: 1, stdout: '' })
  expect(forgotten.stderr).toContain('BadRequest: ')
  expect(JSON.parse(all.stdout)).toEqual([{ id: 1 }, { id: 2 }])
})

it('a user is found as a login finds it: in a page, and by the field that the strategy names', async () => {
  const app = NOTES.replace("usernameField: 'email'", "usernameField: 'login', entityUsernameField: 'email'")
    .replace("app.use('users', memory({ startId: 1 })", "app.use('users', new Users({ startId: 1 })")
    .replace(
      "app.set('authentication'",
      `class Users extends MemoryService {
  async find(params) {
    const data = await super.find({ ...params, paginate: false })

    return { total: data.length, data }
  }
}

app.set('authentication'`
    )
    .replace('import { owner }', `import { MemoryService } from '${SRC}/memory.ts'\nimport { owner }`)
  const callAs = (name: string) => runCommand({ 'app.mjs': app }, 'call', 'notes', 'find', '--as', name)
  const hers = await callAs('ada@example.com')
  const unknown = await callAs('eve@example.com')

  expect(JSON.parse(hers.stdout)).toEqual([{ id: 1, text: 'Hers', ownerId: 1 }])
  expect(unknown.stderr).toContain("There is no user whose 'email' is 'eve@example.com'.")
})

it('the placeholders of a route are in the data, with and without a user', async () => {
  const folder = createFolder({
    'app.mjs': toApp(
      `
app.use('notes', { find: async () => [], complete: async (data, { route, provider }) => ({ data, route, provider }) }, {
  methods: ['find', 'complete'],
  routes: { 'PUT /:id/done': 'complete' }
})
app.use('users', memory({ store: { 1: { id: 1 } } }), { methods: [] })
app.defaultAuthentication = () => ({ configuration: { service: 'users', entity: 'user' }, getStrategies: () => [] })`,
      'export { app }'
    )
  })
  const complete = async (json: string, as?: string) => {
    const { output } = await callService({
      ...{ service: 'notes', method: 'complete', json, as },
      app: join(folder, 'app.mjs')
    })

    return output
  }

  expect(JSON.parse(await complete('{"data":{"id":1,"at":2}}'))).toEqual({
    data: { at: 2 },
    route: { id: '1' }
  })
  expect(JSON.parse(await complete('{"data":{"id":1,"at":2}}', '1'))).toEqual({
    ...{ data: { at: 2 }, route: { id: '1' } },
    provider: 'rest'
  })
  expect(await complete('{"data":{}}')).toContain(
    "BadRequest: Invalid data: 'id' of the route 'PUT /:id/done'"
  )
  await expect(complete('{"id":1}')).rejects.toThrow("'complete' takes data and query, not 'id'.")
  await expect(complete('{}', '99')).rejects.toThrow(new UsageError("There is no user with the id '99'."))
})

it('options may be before the command', async () => {
  const { stdout } = await runCommand(
    { 'app.mjs': NOTES },
    ...['--app', 'app.mjs', '--as=bob@example.com', 'call', 'notes', 'find']
  )

  expect(JSON.parse(stdout)).toEqual([])
})

it('a user that a service does not find is none, also where it returns nothing', async () => {
  const files = {
    'app.mjs': toLogins(
      `'jwt'`,
      `
app.use('users', { id: 'id', get: async () => null }, { methods: [] })
app.use('notes', memory({ store: { 1: { id: 1, ownerId: 1 } } }), { access: access({ all: owner('ownerId') }) })
`
    )
  }
  const { code, stdout, stderr } = await runCommand(files, 'call', 'notes', 'find', '--as', '7')

  expect(code).toBe(1)
  expect(stdout).toBe('')
  expect(stderr).toContain("There is no user with the id '7'.")
})

it('without a user it is an internal call', async () => {
  const created = await call('notes', 'create', '{"data":{"text":"Any","ownerId":7}}')

  expect(JSON.parse(created.stdout)).toEqual({ id: 2, text: 'Any', ownerId: 7 })
})

it.each([
  [['note', 'find'], "There is no service 'note'. There are: authentication, notes, users."],
  [['notes', 'send'], "The service 'notes' has no method 'send'."],
  // What every object, every emitter and every registered service has.
  [['notes', 'constructor'], "The service 'notes' has no method 'constructor'."],
  [['notes', 'hooks'], "The service 'notes' has no method 'hooks'."],
  [['notes', 'emit', '--as', 'ada@example.com'], "The service 'notes' has no method 'emit'."],
  [['notes', 'find', '{'], 'This is not valid JSON: '],
  [['notes', 'find', '[]'], 'Expected an object with id, data and query, got [].'],
  [['notes', 'patch', '{"where":{}}'], "'patch' takes id and data and query, not 'where'."],
  // All notes would be printed.
  [['notes', 'find', '{"id":1}'], "'find' takes query, not 'id'."],
  [['notes', 'find', '--as', 'eve@example.com'], "There is no user whose 'email' is 'eve@example.com'."],
  [['notes', 'find', '--app', 'other.mjs'], 'There is no file ']
])('%j says what is wrong', async (args, sentence) => {
  const { code, stdout, stderr } = await call(...args)

  expect(code).toBe(1)
  expect(stdout).toBe('')
  expect(stderr).toContain(sentence)
})

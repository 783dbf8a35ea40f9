import { expect, it } from 'vitest'
import { runCommand, toApp } from './support/application.ts'

const SRC = `${import.meta.dirname}/../../src`

/** Two users, and a note of the first. */
const NOTES = `import { owner } from '${SRC}/access.ts'
import { AuthenticationService, JWTStrategy, LocalStrategy } from '${SRC}/authentication.ts'
${toApp(`
app.set('authentication', {
  secret: 'a secret that is long enough for the algorithm',
  service: 'users',
  entity: 'user',
  authStrategies: ['jwt', 'local'],
  local: { usernameField: 'email', passwordField: 'password' }
})

const authentication = new AuthenticationService(app)

authentication.register('jwt', new JWTStrategy())
authentication.register('local', new LocalStrategy())
app.use('authentication', authentication)
app.use('users', memory({ startId: 1 }), { methods: [] })
app.use('notes', memory({ startId: 1 }), { access: access({ all: owner('ownerId') }) })
await app.service('users').create({ email: 'ada@example.com' })
await app.service('users').create({ email: 'bob@example.com' })
await app.service('notes').create({ text: 'Hers', ownerId: 1 })
console.log('a line of the application')
`)}`

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

it('options may be before the command', async () => {
  const { stdout } = await runCommand(
    { 'app.mjs': NOTES },
    ...['--app', 'app.mjs', '--as=bob@example.com', 'call', 'notes', 'find']
  )

  expect(JSON.parse(stdout)).toEqual([])
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
  [['notes', 'find', '{"where":{}}'], 'Expected an object with id, data and query, got {"where":{}}.'],
  [['notes', 'find', '--as', 'eve@example.com'], "There is no user whose 'email' is 'eve@example.com'."],
  [['notes', 'find', '--app', 'other.mjs'], 'There is no file ']
])('%j says what is wrong', async (args, sentence) => {
  const { code, stdout, stderr } = await call(...args)

  expect(code).toBe(1)
  expect(stdout).toBe('')
  expect(stderr).toContain(sentence)
})

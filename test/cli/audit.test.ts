import { expect, it } from 'vitest'
import { prepareCommand, toApp } from './support/application.ts'

const runCommand = prepareCommand()

const audit = (files: { readonly [path: string]: string | Buffer }, ...args: string[]) =>
  runCommand(files, 'audit', ...args)

const NOTES = toApp(
  `app.use('notes', memory(), { methods: ['find', 'patch'], access: access({ find: anyone, patch: mine }) })`
)

it('prints a row for each method, as JSON', async () => {
  const { code, stdout, stderr } = await audit({ 'app.mjs': NOTES }, 'app.mjs')

  expect(code, stderr).toBe(0)
  expect(JSON.parse(stdout).map(({ service, method, who }: any) => `${service}.${method} ${who}`)).toEqual([
    'notes.find anyone',
    'notes.patch mine'
  ])
  expect(stdout.split('\n')).toHaveLength(5)
})

it('compares with what was printed before, and names what differs', async () => {
  const { stdout } = await audit({ 'app.mjs': NOTES }, 'app.mjs')
  const same = await audit(
    { 'app.mjs': NOTES, 'exposure.json': stdout },
    'app.mjs',
    '--check',
    'exposure.json'
  )

  expect(same).toEqual({ code: 0, stdout: '2 methods, as in the snapshot.\n', stderr: '' })

  const changed = toApp(
    `app.use('notes', memory(), { methods: ['find', 'get'], access: access({ find: mine }) })`,
    'export { app }'
  )
  const other = await audit(
    { 'app.mjs': changed, 'exposure.json': stdout },
    'app.mjs',
    '--check',
    'exposure.json'
  )

  expect(other.code).toBe(1)
  expect(other.stderr.trim().split('\n')).toEqual([
    'notes.find: who is "mine", and was "anyone"',
    'notes.patch: is gone',
    'notes.get: is new, for nobody'
  ])
})

it('ends, although the application has something to wait for', async () => {
  const { code, stderr } = await audit(
    { 'app.mjs': toApp(`app.use('notes', memory())\nsetInterval(() => {}, 1000)`) },
    'app.mjs'
  )

  expect(code, stderr).toBe(0)
})

it('finds the application below the default export, where loaders put the exports of CommonJS', async () => {
  const source = toApp("app.use('notes', memory())", 'export default { app }')
  const { code, stderr } = await audit({ 'app.mjs': source }, 'app.mjs')

  expect(code, stderr).toBe(0)
})

it.each<[string, string, string]>([
  ['exports no application', 'export default {}', 'exports no application as default or as app.'],
  ['fails', "throw new Error('no database')", 'no database'],
  [
    'cannot be set up',
    toApp(`app.hooks({ setup: [async () => { throw new Error('not ready') }] })`),
    'not ready'
  ],
  ['ends the process', 'process.exit(0)', 'The process ended before the application was set up'],
  [
    'never finishes',
    toApp(`app.hooks({ setup: [() => new Promise(() => {})] })`),
    'The process ended before the application was set up'
  ]
])('is no success where the file %s', async (_, text, message) => {
  const { code, stdout, stderr } = await audit({ 'app.mjs': text }, 'app.mjs')

  expect(code).not.toBe(0)
  expect(stdout).toBe('')
  expect(stderr).toContain(message)
})

it('prints what the application says apart from the rows', async () => {
  const app = toApp(`app.use('notes', memory(), { methods: ['find'] })
console.log('loaded')
app.hooks({ setup: [async (_, next) => { console.info('set up'); await next() }], teardown: [async () => process.stdout.write('down')] })`)
  const { code, stdout, stderr } = await audit({ 'app.mjs': app }, 'app.mjs')

  expect(code, stderr).toBe(0)
  expect(JSON.parse(stdout)).toHaveLength(1)
  expect(stderr).toBe('loaded\nset up\ndown')
})

it.each<[string, string, RegExp]>([
  ['cannot be parsed', 'export const app = (', /broken\.mjs:1\b[\s\S]*SyntaxError/],
  [
    'fails',
    "\n\nthrow new Error('no database', { cause: new Error('refused') })",
    /no database[\s\S]*broken\.mjs:3\b[\s\S]*refused/
  ],
  ['fails with a string', "throw 'no database'", /no database/]
])('says where a file %s', async (_, text, place) => {
  const { code, stderr } = await audit({ 'app.mjs': NOTES, 'broken.mjs': text }, 'broken.mjs')

  expect(code).toBe(1)
  expect(stderr).toMatch(place)
})

it.each([
  [['none.mjs'], "There is no file '"],
  [['.'], "There is no file '"],
  [['app.mjs', '--check', 'none.json'], "There is no file '"],
  [['app.mjs', '--check', '.'], "There is no file '"]
])('%j names what is missing', async (args, message) => {
  const { code, stdout, stderr } = await audit({ 'app.mjs': NOTES }, ...args)

  expect([code, stdout]).toEqual([1, ''])
  expect(stderr.indexOf(message)).toBe(0)
})

it.each<[string, BufferEncoding]>([
  ['as UTF-8 with a byte order mark', 'utf8'],
  ['as UTF-16, as PowerShell does', 'utf16le']
])('a snapshot may be written %s', async (_, encoding) => {
  const { stdout } = await audit({ 'app.mjs': NOTES }, 'app.mjs')
  const text = Buffer.from(`\ufeff${stdout}`, encoding)
  const { code, stderr } = await audit(
    { 'app.mjs': NOTES, 'exposure.json': text },
    'app.mjs',
    '--check',
    'exposure.json'
  )

  expect([code, stderr]).toEqual([0, ''])
})

it.each([
  ['no JSON', 'x'],
  ['no list', '{}'],
  ['no rows', '[1]']
])('a snapshot has to be one: %s', async (_, text) => {
  const { code, stderr } = await audit(
    { 'app.mjs': NOTES, 'exposure.json': text },
    'app.mjs',
    '--check',
    'exposure.json'
  )

  expect(code).toBe(1)
  expect(stderr).toContain('is no snapshot: expected what alula audit prints.')
})

it('says nothing of a server that real-time connections need', async () => {
  const app = NOTES.replace(/^import .*memory\.ts'$/m, (line) =>
    [line, line.replace('{ memory }', '{ socketio }').replace('memory.ts', 'socketio.ts')].join('\n')
  ).replace("app.use('notes'", "app.configure(socketio())\napp.use('notes'")
  const { code, stdout, stderr } = await audit({ 'app.mjs': app }, 'app.mjs')

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(stdout)[0].transports).toEqual(['rest', 'socketio'])
})

it('says what to do with a file that Node does not run', async () => {
  const { code, stderr } = await audit({ 'app.mjs': NOTES, 'app.tsx': NOTES }, 'app.tsx')

  expect(code).toBe(1)
  expect(stderr).toContain(
    'Install a loader: npm install --save-dev tsx. Or compile it, and name the file of JavaScript'
  )
})

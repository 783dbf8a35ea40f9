import { expect, it } from 'vitest'
import { prepareCommand, toApp } from './support/application.ts'

const runCommand = prepareCommand()

const NOTES = toApp(`app.use('notes', memory(), { methods: ['find'], access: access({ find: anyone }) })`)

it('prints the document, with the name and the version of the package', async () => {
  const files = { 'app.mjs': NOTES, 'package.json': '{ "name": "notes-api", "version": "3.2.1" }' }
  const { code, stdout, stderr } = await runCommand(files, 'openapi', 'app.mjs')
  const document = JSON.parse(stdout)

  expect(code, stderr).toBe(0)
  expect(document).toMatchObject({
    openapi: '3.1.1',
    info: { title: 'notes-api', version: '3.2.1' },
    servers: [{ url: '.' }]
  })
  expect(Object.keys(document.paths)).toEqual(['/notes'])
})

it('takes the address of the API', async () => {
  const { stdout } = await runCommand(
    { 'app.mjs': NOTES },
    'openapi',
    'app.mjs',
    '--server',
    'https://example.com/api'
  )

  expect(JSON.parse(stdout).servers).toEqual([{ url: 'https://example.com/api' }])
})

it.each([
  [[], 'Missing operand. openapi expects <file>.'],
  [['app.mjs', 'other.mjs'], "Unexpected operand 'other.mjs'. openapi expects <file>."],
  [['app.mjs', '--server'], 'Missing value. Give it after --server.'],
  [['app.mjs', '--check'], "Unknown option '--check'."],
  [['none.mjs'], 'none.mjs']
])('%j is a mistake', async (args, message) => {
  const { code, stdout, stderr } = await runCommand({ 'app.mjs': NOTES }, 'openapi', ...args)

  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain(message)
})

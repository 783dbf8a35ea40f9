import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { readBlocks, readPage } from '../support/page.ts'

const ROOT = resolve(import.meta.dirname, '../..')

const run = promisify(execFile)

/** The application that the document speaks of. */
const APP = `
import { alula } from 'alula'
import { AuthenticationService, authenticate, JWTStrategy } from 'alula/authentication'
import { memory } from 'alula/memory'

export const app = alula()

app.set('authentication', {
  secret: 'a secret of a document that is long enough to be one',
  service: 'users',
  entity: 'user',
  authStrategies: ['jwt']
})

const authentication = new AuthenticationService(app)

authentication.register('jwt', new JWTStrategy())
app.use('authentication', authentication)
app.use('users', memory())
app.use('notes', memory())
app.service('notes').hooks({
  before: {
    all: [authenticate('jwt')],
    create: [async (context) => { context.data = { ...context.data, owner: context.params.user.email } }]
  }
})
`

it('the tests of the document pass', async () => {
  const [program = ''] = readBlocks(await readPage('testing'), 'js')
  const folder = await mkdtemp(join(tmpdir(), 'alula-testing-'))

  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder, 'app.js'), APP)
  await writeFile(join(folder, 'app.test.js'), program)
  await mkdir(join(folder, 'node_modules'))
  await symlink(ROOT, join(folder, 'node_modules/alula'))

  const { stdout } = await run(process.execPath, ['--test', '--test-reporter=tap', 'app.test.js'], {
    cwd: folder
  })

  expect(stdout).toContain('# pass 2')
  expect(stdout).toContain('# fail 0')
})

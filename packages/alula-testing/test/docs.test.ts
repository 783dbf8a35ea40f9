import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { SECRET } from '../../../test/docs/support.ts'
import { readBlocks, readPage } from '../../../test/support/page.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

const run = promisify(execFile)

it('the tests of the document pass', async () => {
  const [application = '', tests = ''] = readBlocks(await readPage('testing'), 'js')
  const folder = await mkdtemp(join(tmpdir(), 'alula-testing-'))

  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'app.mjs'), application)
  await writeFile(join(folder, 'app.test.mjs'), tests)
  await mkdir(join(folder, 'node_modules'))
  await symlink(ROOT, join(folder, 'node_modules/alula'))
  await symlink(join(ROOT, 'packages/alula-testing'), join(folder, 'node_modules/alula-testing'))

  const { stdout } = await run(process.execPath, ['--test', '--test-reporter=tap', 'app.test.mjs'], {
    cwd: folder,
    env: { ...process.env, SECRET }
  })

  expect(stdout).toContain('# pass 2')
  expect(stdout).toContain('# fail 0')
})

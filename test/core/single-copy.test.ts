import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'

const run = promisify(execFile)

const ROOT = resolve(import.meta.dirname, '../..')

it('a second copy of alula in one process is named once, and one copy is not', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'alula-copies-'))

  onTestFinished(() => rm(folder, { recursive: true }))
  for (const name of ['one', 'other']) {
    await mkdir(join(folder, name))
    await cp(join(ROOT, 'dist'), join(folder, name, 'dist'), { recursive: true })
    await cp(join(ROOT, 'package.json'), join(folder, name, 'package.json'))
  }
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))

  const load = (...names: string[]) =>
    run(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        names.map((name) => `;(await import('./${name}/dist/index.js')).alula()`).join('\n')
      ],
      { cwd: folder }
    )

  expect((await load('one', 'one')).stderr).toBe('')

  const { stderr } = await load('one', 'other', 'one', 'other')

  expect(stderr.match(/ALULA_TWO_COPIES/g)).toHaveLength(1)
  expect(stderr).toContain("'npm ls alula' shows where they come from")
})

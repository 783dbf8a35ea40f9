import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'

const run = promisify(execFile)

/** What the check of the documents says of a repository with these files. */
async function check(files: {
  readonly [name: string]: string
}): Promise<{ code: number; faults: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'alula-docs-'))

  onTestFinished(() => rm(folder, { recursive: true }))

  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }

  await run('git', ['init', '--quiet'], { cwd: folder })

  const script = resolve(import.meta.dirname, '../../scripts/check-docs.mjs')
  const { code = 0, stderr } = await run(process.execPath, [script, folder]).catch((error) => error)

  return { code, faults: stderr.split('\n').filter((line: string) => line.includes('.md: ')) }
}

it('links and anchors that lead somewhere are right', async () => {
  const result = await check({
    'README.md':
      '# Title\n\n[a](docs/a.md#what-alulaadapter-exports) [b](#title) [c](docs) [d](https://example.com)\n',
    'docs/a.md':
      '## What `alula/adapter` exports\n\n## Same\n\n## Same\n\n[a](#same-1) [b](../README.md) <a id="x"></a> [c](#x)\n',
    'docs/index.md': '---\nhero:\n  actions:\n    - link: /a\n---\n'
  })

  expect(result).toEqual({ code: 0, faults: [] })
})

it('links and anchors that lead nowhere are found', async () => {
  const { code, faults } = await check({
    '.gitignore': 'docs/api/\n',
    'README.md':
      '# Title\n\n[a](nowhere.md) [b](#nowhere) [c](docs/a.md#what-alula-adapter-exports) ![d](no.png) [e](/docs/a.md)\n',
    'docs/a.md':
      '## What `alula/adapter` exports\n\n[a](../../outside.md) [b](../LICENSE#x)\n\n`[c](no.md)`\n',
    'docs/api/made.md': '[a](#nowhere)\n',
    'docs/index.md': '---\nfeatures:\n  - link: /nowhere\n---\n',
    LICENSE: ''
  })

  expect(code).toBe(1)
  expect(faults.toSorted()).toEqual([
    'README.md: #nowhere has an anchor that is not there',
    'README.md: /docs/a.md leads out of the repository',
    'README.md: docs/a.md#what-alula-adapter-exports has an anchor that is not there',
    'README.md: no.png leads nowhere',
    'README.md: nowhere.md leads nowhere',
    'docs/a.md: ../../outside.md leads out of the repository',
    'docs/a.md: ../LICENSE#x has an anchor, and leads to no document',
    'docs/api/made.md: #nowhere has an anchor that is not there',
    'docs/index.md: nowhere.md leads nowhere'
  ])
})

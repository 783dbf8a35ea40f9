import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'

const run = promisify(execFile)

/** Makes the reference of a package with two entries. */
async function build(
  index: string,
  extra: string
): Promise<{ code: number; output: string; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'alula-reference-'))
  const files = {
    'package.json': {
      exports: { '.': { types: './dist/index.d.ts' }, './extra': { types: './dist/extra.d.ts' } }
    },
    'tsconfig.json': {
      compilerOptions: { module: 'nodenext', lib: ['es5'], types: [] },
      include: ['src']
    }
  }

  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'src'))
  for (const [name, content] of Object.entries(files))
    await writeFile(join(folder, name), JSON.stringify(content))
  await writeFile(join(folder, 'src/index.ts'), index)
  await writeFile(join(folder, 'src/extra.ts'), extra)

  const script = resolve(import.meta.dirname, '../../scripts/api-reference.mjs')
  const { code = 0, stdout, stderr } = await run(process.execPath, [script, folder]).catch((error) => error)

  return { code, output: `${stdout}${stderr}`, folder }
}

it('every entry has a page with what it exports, and what it exports again', async () => {
  const { code, output, folder } = await build(
    '/** Adds one.\n *\n * @param count What to add to\n */\nexport function add(count: number): number {\n  return count + 1\n}\n',
    "export { add } from './index.js'\n/** Some numbers. */\nexport type Numbers = number[]\n"
  )
  const [index, extra] = await Promise.all(
    ['alula', 'alula/extra'].map((entry) => readFile(join(folder, 'docs/api', `${entry}.md`), 'utf8'))
  )

  expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('3 names in 2 entries') })
  expect(index).toContain('Adds one.')
  expect(index).toContain('What to add to')
  expect(extra).toContain('Some numbers.')
  expect(extra).toMatch(/Re-exports \[add]\(.+#api-add\)/)
})

it('a name without a docstring fails', async () => {
  const { code, output } = await build(
    '/** @returns One */\nexport function one(): number {\n  return 1\n}\n',
    'export interface Shape {\n  side: number\n}\n'
  )

  expect(code).toBe(1)
  expect(output).toContain("'one' of 'alula' has no docstring")
  expect(output).toContain("'Shape' of 'alula/extra' has no docstring")
})

it('a docstring that speaks of what is not there fails', async () => {
  const { code, output } = await build(
    '/** Adds one.\n *\n * @param number What to add to\n */\nexport function add(count: number): number {\n  return count + 1\n}\n',
    '/** See {@link nothing}. */\nexport type Numbers = number[]\n'
  )

  expect(code).toBe(1)
  expect(output).toContain('@param with name "number"')
  expect(output).toContain('Failed to resolve link to "nothing"')
})

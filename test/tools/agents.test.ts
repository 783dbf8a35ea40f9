import { exec } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { createFolder } from '../support/command.ts'

const ROOT = resolve(import.meta.dirname, '../..')

it('the program of AGENTS.md prints the hooks of a method, in order', async () => {
  const guide = await readFile(join(ROOT, 'AGENTS.md'), 'utf8')
  const [, program = ''] = /```ts\n([\s\S]*?)```/.exec(guide) ?? []
  const [, command = ''] = /`(npx esbuild hooks\.ts .*?)`/.exec(guide) ?? []
  const file = join(createFolder(), 'hooks.ts')
  const app = `
import { alula } from './src/index.ts'
import { memory } from './src/memory.ts'

const app = alula()

app.use('notes', memory())
app.hooks({ around: { all: [async function log(_, next) { await next() }] } })
app.service('notes').hooks({ before: { create: [function trim() {}] } })
`

  await writeFile(file, `${app}${program}`.replaceAll("'./src/", `'${ROOT}/src/`))

  const { stdout, stderr } = await promisify(exec)(command.replace('hooks.ts', file), { cwd: ROOT })

  expect(stderr).toBe('')
  expect(stdout).toMatch(/\[AsyncFunction: log\][\s\S]*\[Function: trim\]/)
})

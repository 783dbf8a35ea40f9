import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { createFolder, runNode } from '../support/command.ts'

const ROOT = resolve(import.meta.dirname, '../..')

it('the program of AGENTS.md prints the hooks of a method, in order', async () => {
  const [, program = ''] = /```js\n([\s\S]*?)```/.exec(await readFile(join(ROOT, 'AGENTS.md'), 'utf8')) ?? []
  const folder = createFolder()
  const file = join(folder, 'program.mjs')
  const from = pathToFileURL(`${ROOT}/`).href
  const app = `
import { alula } from './dist/index.js'
import { memory } from './dist/memory.js'

const app = alula()

app.use('notes', memory())
app.hooks({ around: { all: [async function log(_, next) { await next() }] } })
app.service('notes').hooks({ before: { create: [function trim() {}] } })
`

  await writeFile(file, `${app}${program}`.replaceAll("'./dist/", `'${from}dist/`))

  const { stdout, stderr } = await runNode([file])

  expect(stderr).toBe('')
  expect(stdout).toMatch(/\[AsyncFunction: log\][\s\S]*\[Function: trim\]/)
})

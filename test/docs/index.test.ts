import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { readBlocks } from '../support/page.ts'
import { runServer } from '../support/program.ts'
import { expectSession } from '../support/session.ts'

const ROOT = resolve(import.meta.dirname, '../..')

let guides: string[]
let recipes: string[]
let index: string

beforeAll(async () => {
  const files = await readdir(join(ROOT, 'docs'))
  const chapters = await readdir(join(ROOT, 'docs/tutorial'))

  guides = [...files, ...chapters.map((file) => `tutorial/${file}`)]
    .filter((file) => file.endsWith('.md') && file !== 'index.md')
    .map((file) => file.slice(0, -3))
    .sort()
  recipes = (await readdir(join(ROOT, 'docs/recipes')))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `recipes/${file.slice(0, -3)}`)
  index = await readFile(join(ROOT, 'docs/index.md'), 'utf8')
})

it('llms.txt lists every guide and recipe with its first sentence', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'alula-llms-'))

  onTestFinished(() => rm(folder, { recursive: true }))
  await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/llms.mjs'), folder])

  const text = await readFile(join(folder, 'llms.txt'), 'utf8')
  const lines = [...text.matchAll(/^- \[.+\]\(\/(.+)\.html\): .+\.$/gm)]

  expect(lines.map(([, name]) => name).sort()).toEqual([...guides, ...recipes].sort())
  expect(text.split('## ').at(-1)).toMatch(/^Reference\n\n- \[Error codes/)
  expect(text).toMatch(
    /^# alula\n\n> .+\n\n## Start\n\n- \[Quickstart\]\(\/quickstart\.html\): Write a REST API /
  )
})

it('the first page leads to every guide and recipe', () => {
  const linked = new Set([...index.matchAll(/\]\(([\w/-]+)\.md\)/g)].map(([, name]) => name))

  expect([...linked].sort()).toEqual([...guides, ...recipes].sort())
})

it('the first page names every entry point', async () => {
  const { exports } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  const entries = Object.keys(exports).filter((name) => name !== './package.json')
  const named = [...index.matchAll(/^\| `(alula[\w/-]*)` \|/gm)].map(([, name]) => name as string)

  expect(named.sort()).toEqual(entries.map((name) => name.replace('.', 'alula')).sort())
})

it('the program of the first page answers as it shows', async () => {
  const [program] = readBlocks(index, 'js') as [string]
  const [session] = readBlocks(index, 'console') as [string]
  const { address } = await runServer(program)

  await expectSession([session], { 'localhost:3030': address })
})

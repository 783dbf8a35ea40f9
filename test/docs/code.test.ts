import { readdir, readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { findFaults, readCode } from '../support/code.ts'

const ROOT = resolve(import.meta.dirname, '../..')

it('every block of code parses, and imports what there is', { timeout: 300_000 }, async () => {
  const files = (await readdir(resolve(ROOT, 'docs'))).filter((file) => file.endsWith('.md'))
  const pages = ['README.md', ...files.map((file) => `docs/${file}`)]
  const blocks = await Promise.all(
    pages.map(async (page) => readCode(page, await readFile(resolve(ROOT, page), 'utf8')))
  )

  expect(blocks.flat().length).toBeGreaterThan(100)
  expect(findFaults(blocks.flat())).toEqual([])
})

it('what is wrong with a block is found', { timeout: 300_000 }, () => {
  const block = (language: string, code: string) => ({ name: 'a page', language, code })

  expect(
    findFaults([
      block('js', "import { memory } from 'alula/memory'\n\napp.use('notes', memory({ … }))\n"),
      block('js', 'async find() {\n  return []\n}\n'),
      block('js', "import { momery } from 'alula/memory'\n"),
      block('js', "import { memory } from 'alula/momery'\n"),
      block('js', 'app.use(\n'),
      block('ts', 'const text: string = 1\n')
    ])
  ).toEqual([
    `a page: Module '"alula/memory"' has no exported member 'momery'.`,
    "a page: Cannot find module 'alula/momery' or its corresponding type declarations.",
    'a page: Argument expression expected.',
    "a page: Type 'number' is not assignable to type 'string'."
  ])
})

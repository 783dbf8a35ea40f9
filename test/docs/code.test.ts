import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { type Block, findFaults, readCode } from '../support/code.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** Blocks with what is right and what is wrong, of a page that is not there. */
const PLANTED = [
  plant('js', "import { memory } from 'alula/memory'\n\napp.use('notes', memory({ … }))\n"),
  plant('js', 'async find() {\n  return []\n}\n'),
  plant('js', "import { momery } from 'alula/memory'\n"),
  plant('js', "import { memory } from 'alula/momery'\n"),
  plant('js', 'app.use(\n'),
  plant('ts', 'const text: string = 1\n')
]

let blocks: Block[]

/** Of all of them at once: most of the time goes into the types that they import. */
let faults: string[]

beforeAll(async () => {
  const files = (await readdir(join(ROOT, 'docs'))).filter((file) => file.endsWith('.md'))
  const pages = ['README.md', ...files.map((file) => `docs/${file}`)]
  const read = await Promise.all(
    pages.map(async (page) => readCode(page, await readFile(join(ROOT, page), 'utf8')))
  )

  blocks = read.flat()
  faults = await findFaults([...blocks, ...PLANTED])
}, 300_000)

it('every block of code parses, and imports what there is', () => {
  expect(blocks.length).toBeGreaterThan(100)
  expect(faults.filter((fault) => !isPlanted(fault))).toEqual([])
})

it('what is wrong with a block is found', () => {
  expect(faults.filter(isPlanted)).toEqual([
    `planted: Module '"alula/memory"' has no exported member 'momery'.`,
    "planted: Cannot find module 'alula/momery' or its corresponding type declarations.",
    'planted: Argument expression expected.',
    "planted: Type 'number' is not assignable to type 'string'."
  ])
})

function plant(language: string, code: string): Block {
  return { name: 'planted', language, code }
}

function isPlanted(fault: string): boolean {
  return fault.startsWith('planted: ')
}

import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'

function read(path: string): Promise<string> {
  return readFile(resolve(import.meta.dirname, '..', path), 'utf8')
}

it('CONTRIBUTING.md, AGENTS.md and the map name files and scripts that are there', async () => {
  const text = `${await read('CONTRIBUTING.md')}${await read('AGENTS.md')}${await read('docs/map.md')}`
  const { scripts } = JSON.parse(await read('package.json'))
  const files = [...text.matchAll(/`((?:src|test|docs|scripts|examples)\/[\w/.-]+)`/g)].map(
    ([, file]) => file as string
  )
  const commands = [...text.matchAll(/npm (?:run )?((?:test|start)\b[\w:]*|(?<=run )[\w:]+)/g)].map(
    ([, name]) => name as string
  )

  expect(files.length).toBeGreaterThan(30)
  expect(files.filter((file) => !existsSync(resolve(import.meta.dirname, '..', file)))).toEqual([])
  expect(commands.length).toBeGreaterThan(10)
  expect(commands.filter((name) => !Object.hasOwn(scripts, name))).toEqual([])
})

it('the map shows the floors that the test of the architecture holds', async () => {
  const [, floors = ''] =
    /const FLOORS[^\n]*\[\n([\s\S]*?)\n\]/.exec(await read('test/architecture.test.ts')) ?? []
  const held = [...floors.matchAll(/\[([^\]]+)\]/g)].map(([, floor = '']) =>
    [...floor.matchAll(/'([^']+)'/g)].map(([, name]) => name)
  )
  const [, picture = ''] = /```\n(\d+ {2}entries[\s\S]*?)```/.exec(await read('docs/map.md')) ?? []
  const [entries, ...shown] = picture
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))

  expect(shown.map(([, ...names]) => names).reverse()).toEqual(held)
  expect(entries).toEqual([`${held.length}`, 'entries', 'src/*.ts'])
})

it.each([
  ['AGENTS.md', 60],
  ['CONTRIBUTING.md', 80],
  ['docs/map.md', 120],
  ['docs/architecture.md', 100]
])('%s has at most %i lines', async (path, most) => {
  expect((await read(path)).trim().split('\n').length).toBeLessThanOrEqual(most)
})

it('SECURITY.md supports the version of the package', async () => {
  const { version } = JSON.parse(await read('package.json'))

  expect(await read('SECURITY.md')).toContain(`| ${version.replace(/\d+$/, 'x')} | yes |`)
})

import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { programs } from '../compat/application-differential/programs.ts'
import { differences as ofAuthentication } from '../compat/authentication-differential/differences.ts'
import { ofBodies, ofCore, ofErrors } from '../compat/koa-differential/differences.ts'
import { WITH_ONE_AJV as ofSchemas } from '../compat/koa-differential/schema-differences.ts'
import { ofAnswers } from '../compat/socketio-differential/answer-differences.ts'
import { ofCalls } from '../compat/socketio-differential/call-differences.ts'
import { ofConnections } from '../compat/socketio-differential/connection-differences.ts'
import { readPage } from '../support/page.ts'

// A difference from Feathers v5 is written once, as a row of the page. Tests that accept it name the row by its anchor.

/** A difference from Feathers v5, or what is kept of it. */
interface Row {
  /** The first two cells. */
  readonly text: string
  /** By which tests and other pages name the row; not every row needs one. */
  readonly anchor: string | undefined
  /** Its tests, without `test/` and `.test.ts`, or scripts of the package. */
  readonly tests: readonly string[]
}

const ROOT = resolve(import.meta.dirname, '../..')

const page = await readPage('compatibility')
const rows = readRows(page)

it('each row names tests that are there', async () => {
  const { scripts } = JSON.parse(await readFile(resolve(ROOT, 'package.json'), 'utf8'))
  const isThere = (test: string) =>
    ['.test.ts', '.test-d.ts'].some((end) => existsSync(resolve(ROOT, `test/${test}${end}`))) ||
    scripts[test.replace(/^npm run /, '')] !== undefined

  const unpinned = rows.filter(({ tests }) => tests.length === 0 || !tests.every(isThere))

  expect(unpinned.map(({ text, tests }) => [text, ...tests])).toEqual([])
})

it('each table has a column of tests', () => {
  const heads = [...page.matchAll(/^(\|.*)\n\|-/gm)].map(([, head]) => head as string)

  expect(heads.filter((head) => !head.endsWith('| Test |'))).toEqual([])
})

it('the prose names tests that are there', () => {
  const named = [...page.matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path)

  expect(named).not.toEqual([])
  expect(named.filter((path) => !existsSync(resolve(ROOT, path as string)))).toEqual([])
})

it('an anchor is that of one row', () => {
  const anchors = rows.flatMap(({ anchor }) => anchor ?? [])

  expect(anchors.filter((anchor, index) => anchors.indexOf(anchor) !== index)).toEqual([])
})

it.each<[string, object[]]>([
  ['compat/application.differential', [programs]],
  ['compat/authentication.differential', [ofAuthentication]],
  ['compat/koa.differential', [ofErrors, ofCore, ofBodies]],
  ['compat/schemas.differential', [ofSchemas]],
  ['compat/socketio.differential', [ofCalls, ofAnswers, ofConnections]]
])('what %s lets differ are the rows that name it', (test, differences) => {
  const naming = rows.filter(({ tests }) => tests.includes(test)).map(({ anchor, text }) => anchor ?? text)

  expect(differences.flatMap(Object.keys).sort()).toEqual(naming.sort())
})

it('tests and sources cite rows that are there', async () => {
  const folders = ['src', 'test'].map((folder) => resolve(ROOT, folder))
  const anchors = rows.map(({ anchor }) => anchor)
  const cited: string[] = []

  for (const folder of folders) {
    for (const file of await readdir(folder, { recursive: true })) {
      if (!file.endsWith('.ts')) continue

      const source = await readFile(resolve(folder, file), 'utf8')

      for (const [, anchor] of source.matchAll(/compatibility\.md#([\w-]+)/g)) cited.push(anchor as string)
    }
  }

  expect(cited).not.toEqual([])
  expect(cited.filter((anchor) => !anchors.includes(anchor))).toEqual([])
})

/** Reads the rows of all tables of the page. */
function readRows(page: string): Row[] {
  const tables = page.matchAll(/^\|[-|]+\|\n((?:\|.*\n)+)/gm)

  return [...tables].flatMap(([, lines = '']) => lines.trim().split('\n').map(toRow))
}

function toRow(line: string): Row {
  const [feathers = '', alula = '', , tests = ''] = line.slice(1, -1).split('|')
  const [, anchor] = /<a id="([^"]*)">/.exec(feathers) ?? []

  return {
    text: `${feathers} | ${alula}`.trim(),
    anchor,
    tests: [...tests.replaceAll(/\([^)]*\)/g, '').matchAll(/`([^`]+)`/g)].map(([, name]) => name as string)
  }
}

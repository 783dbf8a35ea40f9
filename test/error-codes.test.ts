import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import ts from 'typescript'
import { expect, it } from 'vitest'
// @ts-expect-error It has no types.
import { slugify } from '../docs/.vitepress/markdown.mjs'
import { createError, createRangeError, createTypeError } from '../src/utils/developer-error.ts'

const ROOT = resolve(import.meta.dirname, '..')
const SRC = resolve(ROOT, 'src')
const TABLE = 'utils/error-codes.ts'

/** How many errors without a code a file creates, and why each has none. */
const WITHOUT_CODE: { readonly [file: string]: readonly [count: number, reason: string] } = {
  'adapter-tests/basics.ts': [1, 'what a service of a test throws'],
  'adapter-tests/differential.ts': [1, 'a test that fails'],
  'authentication/hasher.ts': [2, 'a thread that has ended, or what it threw'],
  'cli/load.ts': [1, 'what an application throws, with its place'],
  'errors.ts': [1, 'an error of a server, revived'],
  'express/rest.ts': [1, 'what middleware has thrown, as an object'],
  'kysely/lend.ts': [1, 'cannot be reached'],
  'kysely/values.ts': [1, 'caught where it is thrown'],
  'koa/rest.ts': [1, 'what middleware has thrown, as an object'],
  'oauth/connection.ts': [3, 'a provider that does not do what it should'],
  'oauth/failure.ts': [1, 'what a provider has responded'],
  'openapi/page/request.ts': [1, 'shown on the page'],
  'socketio/transport.ts': [1, 'what a client sees of a refused connection'],
  'sync/codec.ts': [1, 'a message that cannot be read'],
  'sync/connection.ts': [1, 'Redis is away'],
  'sync/link.ts': [3, 'Redis is away, or sends what cannot be read'],
  'testing/contract.ts': [3, 'a test that fails'],
  'testing/exposure.ts': [1, 'a test that fails'],
  'utils/developer-error.ts': [1, 'adds the code'],
  'utils/object.ts': [1, 'a case that the compiler rules out'],
  'utils/with-timeout.ts': [1, 'something outside takes too long']
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file))
const sources = new Map(files.map((file) => [file, readFileSync(resolve(SRC, file), 'utf8')]))
const page = readFileSync(resolve(ROOT, 'docs/error-codes.md'), 'utf8')
const documented = [...page.matchAll(/^## (.+)$/gm)].map(([, code]) => code as string)

it('the page of codes is what its source makes', async () => {
  await promisify(execFile)(process.execPath, ['scripts/error-codes.mjs', '--check'], { cwd: ROOT })
})

it('the codes of the source and of the page are the same', () => {
  const used = [...sources]
    .filter(([file]) => file !== TABLE)
    .flatMap(([, source]) => [...source.matchAll(/'(ALULA_[A-Z_]+)'/g)].map(([, code]) => code))

  expect([...new Set(used)].sort()).toEqual(documented)
})

it('a guide names no code that is not on the page', () => {
  const guides = readdirSync(resolve(ROOT, 'docs')).filter((file) => file.endsWith('.md'))
  const named = guides.flatMap((file) =>
    [...readFileSync(resolve(ROOT, 'docs', file), 'utf8').matchAll(/\bALULA_[A-Z_]+/g)].map(([code]) => code)
  )

  expect(named.filter((code) => !documented.includes(code))).toEqual([])
})

it('a link leads to each code by its name in lower case', () => {
  expect(documented.map(slugify)).toEqual(documented.map((code) => code.toLowerCase()))
})

it.each([
  [createError, Error],
  [createTypeError, TypeError],
  [createRangeError, RangeError]
])('%o: the code is a property, and ends the message and the stack', (create, Class) => {
  const error = create('ALULA_NOT_SET_UP', 'Nothing is set up')

  expect(error).toBeInstanceOf(Class)
  expect(error).toMatchObject({
    name: Class.name,
    code: 'ALULA_NOT_SET_UP',
    message: 'Nothing is set up (ALULA_NOT_SET_UP)'
  })
  expect(error.stack).toMatch(/^\w+: Nothing is set up \(ALULA_NOT_SET_UP\)\n/)
})

it('an error without a code has a reason', () => {
  const counts = [...sources].map(([file, source]) => [file, countErrors(file, source)] as const)
  const reasons = Object.entries(WITHOUT_CODE).map(([file, [count]]) => [file, count])

  expect(counts.filter(([, count]) => count > 0).sort()).toEqual(reasons.sort())
})

/** How often a source creates an error of the language; errors of Feathers are for clients. */
function countErrors(file: string, source: string): number {
  let count = 0

  function visit(node: ts.Node): void {
    const called = ts.isNewExpression(node) || ts.isCallExpression(node) ? node.expression.getText() : ''

    if (/^(?:Aggregate|Eval|Range|Reference|Syntax|Type|URI)?Error$|^Class$/.test(called)) count++
    ts.forEachChild(node, visit)
  }

  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true))

  return count
}

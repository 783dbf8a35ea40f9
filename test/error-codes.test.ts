import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
// @ts-expect-error It has no types.
import { slugify } from '../docs/.vitepress/markdown.mjs'
import { createError, createRangeError, createTypeError } from '../src/utils/developer-error.ts'

const ROOT = resolve(import.meta.dirname, '..')
/** The sources of all packages. */
const FOLDERS = ['src', ...readdirSync(resolve(ROOT, 'packages')).map((name) => `packages/${name}/src`)]
const TABLE = 'src/utils/error-codes.ts'

/** How many errors without a code a file creates, and why each has none. */
const WITHOUT_CODE: { readonly [file: string]: readonly [count: number, reason: string] } = {
  'packages/alula-migrate/src/migrate.ts': [1, 'printed by the command'],
  'packages/alula-testing/src/adapters/basics.ts': [1, 'what a service of a test throws'],
  'packages/alula-testing/src/adapters/differential.ts': [1, 'a test that fails'],
  'packages/alula-testing/src/contract/run.ts': [4, 'a test that fails'],
  'packages/alula-testing/src/exposure.ts': [1, 'a test that fails'],
  'packages/create-alula/src/manifest.ts': [1, 'printed by the command'],
  'packages/create-alula/src/prepare.ts': [1, 'printed by the command'],
  'packages/page/src/request.ts': [1, 'shown on the page'],
  'src/authentication/bcrypt-threads.ts': [2, 'a thread that has ended, or what it threw'],
  'src/authentication/key-set.ts': [2, 'an issuer that does not do what it should'],
  'src/cli/load.ts': [1, 'what an application throws, with its place'],
  'src/errors.ts': [1, 'an error of a server, revived'],
  'src/express/rest.ts': [1, 'what middleware has thrown, as an object'],
  'src/hooks/phase.ts': [1, 'undefined that was thrown, as an object'],
  'src/koa/rest.ts': [1, 'what middleware has thrown, as an object'],
  'src/kysely/checkout.ts': [1, 'cannot be reached'],
  'src/kysely/values.ts': [1, 'caught where it is thrown'],
  'src/oauth/connection.ts': [2, 'a provider that does not do what it should'],
  'src/oauth/failure.ts': [1, 'what a provider has responded'],
  'src/redis/connection.ts': [1, 'Redis is away'],
  'src/redis/store.ts': [1, 'the application has closed the connection'],
  'src/socketio/transport.ts': [1, 'what a client sees of a refused connection'],
  'src/sync/codec.ts': [1, 'a message that cannot be read'],
  'src/sync/link.ts': [3, 'Redis is away, or sends what cannot be read'],
  'src/login-budget/redis-store.ts': [1, 'Redis is away'],
  'src/authentication/redis-revocation.ts': [1, 'Redis has lost its data'],
  'src/utils/developer-error.ts': [1, 'adds the code'],
  'src/utils/object.ts': [1, 'a case that the compiler rules out'],
  'src/utils/read-bounded.ts': [1, 'a response that is too long'],
  'src/utils/with-timeout.ts': [1, 'something outside takes too long']
}

const files = FOLDERS.flatMap((folder) =>
  readdirSync(resolve(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => `${folder}/${file}`)
)
const sources = new Map(files.map((file) => [file, readFileSync(resolve(ROOT, file), 'utf8')]))
const names = [...(sources.get(TABLE) as string).matchAll(/^ {2}\| '(\w+)'$/gm)].map(
  ([, name]) => name as string
)

const page = readFileSync(resolve(ROOT, 'docs/error-codes.md'), 'utf8')
const [, ...sections] = page.split(/^## /m)
const documented = sections.map((section) => section.split('\n', 1)[0] as string)

/** What follows the heading: the kind and the cause, then what to do. */
const SECTION = /^\w+\n\n\*(Error|Warning|Error or warning)\.\* \S.*\n\n\*\*Fix:\*\* \S.*\n+$/s

/** Functions with a code among their arguments, by what comes of it. */
const KINDS: ReadonlyMap<string, Kind> = new Map([
  ['createError', 'Error'],
  ['createTypeError', 'Error'],
  ['createRangeError', 'Error'],
  ['emitWarning', 'Warning'],
  ['warnOnce', 'Warning'],
  ['reportMistake', 'Error or warning'],
  ['report', 'Error or warning']
])

type Kind = 'Error' | 'Warning' | 'Error or warning'

it('the union of codes is in alphabetical order', () => {
  expect(names).not.toEqual([])
  expect(names).toEqual([...new Set(names)].sort())
})

it('the page describes the codes of the union, in the same order', () => {
  expect(documented).toEqual(names)
})

it('each section has a kind, a cause and a fix', () => {
  expect(sections.filter((section) => !SECTION.test(section))).toEqual([])
})

it('the sources use each code, and each for the kind that the page says', () => {
  const used = new Map<string, Set<Kind>>()

  for (const [file, source] of sources) {
    if (file === TABLE || !source.includes('ALULA_')) continue

    for (const { code, kind } of findCodes(file, source))
      used.set(code, (used.get(code) ?? new Set()).add(kind))
  }

  const kinds = [...used].map(([code, kinds]) => [
    code,
    kinds.size === 1 ? [...kinds][0] : 'Error or warning'
  ])
  const described = sections.map((section, index) => [documented[index], SECTION.exec(section)?.[1]])

  expect(Object.fromEntries(kinds)).toEqual(Object.fromEntries(described))
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
    message: 'Nothing is set up (ALULA_NOT_SET_UP)',
    help: 'node_modules/alula/docs/error-codes.md#alula_not_set_up'
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

/** The codes that a source passes to a function which creates an error or emits a warning. */
function findCodes(file: string, source: string): { code: string; kind: Kind }[] {
  const codes: { code: string; kind: Kind }[] = []

  function visit(node: ts.Node, kind: Kind | undefined): void {
    const inner = (ts.isCallExpression(node) && KINDS.get(toName(node.expression))) || kind

    if (ts.isStringLiteral(node) && inner && /^ALULA_[A-Z_]+$/.test(node.text)) {
      codes.push({ code: node.text, kind: inner })
    }
    ts.forEachChild(node, (child) => visit(child, inner))
  }

  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true), undefined)

  return codes
}

function toName(called: ts.Expression): string {
  if (ts.isPropertyAccessExpression(called)) return called.name.text

  return ts.isIdentifier(called) ? called.text : ''
}

import { expect, it } from 'vitest'
import { tokenize } from '../src/lexer.ts'
import { findReferences } from '../src/references.ts'

it.each([
  [`import 'a'`, 'sideEffect'],
  [`import a from 'a'`, 'import'],
  [`import type * as a from 'a'`, 'import'],
  [`import defer * as a from 'a'`, 'import'],
  [`export * from 'a'`, 'export'],
  [`require('a')`, 'call'],
  [`require('a', b)`, 'call'],
  [`require.resolve('a')`, 'call'],
  [`require.resolve('a').b`, 'call'],
  [`require('a')?.[b]`, 'call'],
  [`import('a').then(b)`, 'call'],
  [`import('a').catch(b)`, 'call'],
  [`import('a').finally(b)`, 'call'],
  [`require('a').then`, 'member'],
  [`require('a')?.b`, 'member'],
  [`const a = require('a')`, 'require'],
  [`var a = require('a')`, 'require'],
  [`let a = await import('a')`, 'require'],
  [`declare module 'a' {}`, 'augmentation'],
  [`jest.mock('a')`, 'mock'],
  [`vi.doMock('a')`, 'mock'],
  [`vitest?.mock('a')`, 'mock'],
  [`mock.module('a')`, 'mock'],
  [`require('a' + b)`, 'computed'],
  [`require.resolve('a' + b)`, 'computed'],
  [`import(\`a\${b}\`)`, 'computed'],
  // A string and nothing else.
  [`module 'a'`, 'text'],
  [`declare a 'a'`, 'text'],
  [`require['a']`, 'text'],
  [`f.require('a')`, 'text'],
  [`jest('a')`, 'text'],
  [`import { typeof a } from 'a'`, 'text'],
  [`import { a of b } from 'a'`, 'text'],
  [`import { a as } from 'a'`, 'text'],
  [`import { , a } from 'a'`, 'text'],
  [`import , from 'a'`, 'text'],
  [`b; a from 'a'`, 'text'],
  // A piece of a program.
  [`'a'`, 'text'],
  [`from 'a'`, 'text'],
  [`a from 'a'`, 'text'],
  [`type from 'a'`, 'text'],
  [`} from 'a'`, 'text'],
  [`{ a } from 'a'`, 'text'],
  [`, { a } from 'a'`, 'text'],
  [`* from 'a'`, 'text'],
  [`, * from 'a'`, 'text'],
  [`as a from 'a'`, 'text'],
  [`* as a from 'a'`, 'text'],
  [`type * from 'a'`, 'text'],
  [`('a')`, 'text'],
  [`.f('a')`, 'text'],
  [`f('a'`, 'text'],
  [`require('a'`, 'computed'],
  [`require('a').`, 'call'],
  [`= require('a')`, 'call'],
  [`} = require('a')`, 'call'],
  [`a = require('a')`, 'call'],
  [`{ a } = require('a')`, 'call'],
  [`await import('a')`, 'call'],
  [`= await import('a')`, 'call'],
  [`import 'a' with`, 'sideEffect'],
  [`import 'a' with {`, 'sideEffect']
])('in %s the string is of the kind %j', (source, kind) => {
  expect(findReferences(tokenize(source)).map((reference) => [reference.kind, reference.specifier])).toEqual([
    [kind, 'a']
  ])
})

it.each([`require(a)`, `import(a)`, `a = \`b\${c}\``, `f(\`b\${c}\`)`, `import a from b`, 'import(`\\a`)'])(
  'in %s no module is named',
  (source) => {
    expect(findReferences(tokenize(source))).toEqual([])
  }
)

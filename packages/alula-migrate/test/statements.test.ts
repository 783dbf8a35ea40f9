import { expect, it } from 'vitest'
import { rewriteSource } from '../src/rewrite.ts'

const UNNEEDED = `import '@feathersjs/transport-commons'`

it.each([
  [UNNEEDED, ''],
  [`import 'a'\n${UNNEEDED}`, `import 'a'\n`],
  [`import 'a'\r\n${UNNEEDED};\r\nb`, `import 'a'\r\nb`],
  [`  ${UNNEEDED} \t\nb`, 'b'],
  [`${UNNEEDED} with { type: 'a' };\nb`, 'b'],
  [`${UNNEEDED} assert { type: 'a' }\nb`, 'b'],
  [`a\n  ${UNNEEDED} `, 'a\n'],
  [`${UNNEEDED}\nassert(a, { b })`, 'assert(a, { b })'],
  [`${UNNEEDED}\ntry { a } catch {}`, 'try { a } catch {}'],
  // Its line has more on it.
  [`import 'a'; ${UNNEEDED}\nb`, `import 'a'; \nb`],
  [`import 'a'; ${UNNEEDED}; b\nc`, `import 'a';  b\nc`],
  [`${UNNEEDED}; b\nc`, ' b\nc'],
  [`${UNNEEDED} // why\nb`, ' // why\nb']
])('%j becomes %j when the statement is removed', (source, expected) => {
  expect(rewriteSource(source).text).toBe(expected)
})

it('a statement that is removed is a change', () => {
  expect(rewriteSource(`a\n${UNNEEDED}`).changes).toEqual([
    { line: 2, text: '@feathersjs/transport-commons → (not needed)' }
  ])
})

it.each([
  `io = require('@feathersjs/socketio')`,
  `module.exports = require('@feathersjs/socketio')`,
  `type\nio = require('@feathersjs/socketio')`,
  `import 'a'\nio = require('@feathersjs/socketio')`,
  `function f(io = require('@feathersjs/socketio')) {}`,
  `const { a: { b } } = require('@feathersjs/socketio')`,
  `const { a = 1 } = require('@feathersjs/socketio')`,
  `const io = require('@feathersjs/socketio') as any`,
  `const io = require('@feathersjs/socketio')!`,
  `const { a: b = 1 } = require('@feathersjs/socketio')`,
  `const { a: [b] } = require('@feathersjs/socketio')`,
  `const io = require('@feathersjs/socketio')[a]`,
  `const io = require('@feathersjs/socketio')?.[a]`,
  `let io; require('@feathersjs/socketio')`,
  `const io = import('@feathersjs/socketio')`
])('%j declares no name of the module: only the module is replaced', (source) => {
  const { text, remarks } = rewriteSource(source)

  expect(text).toBe(source.replace('@feathersjs', 'alula'))
  expect(remarks.map((remark) => remark.text)).toEqual([
    "'alula/socketio' is a module with names, and no function"
  ])
})

it.each([`import io = require('@feathersjs/socketio')`, `import type io = require('@feathersjs/socketio')`])(
  '%j declares a name of the module, and stays',
  (source) => {
    const { text, remarks } = rewriteSource(source)

    expect(text).toBe(source)
    expect(remarks.map((remark) => remark.text)).toEqual([
      "rewrite this by hand: { socketio as io } from 'alula/socketio'"
    ])
  }
)

it.each([
  // `type` is a word of the statement, or a name.
  [`import type from '@feathersjs/socketio'`, `import { socketio as type } from 'alula/socketio'`],
  [`import type, { a } from '@feathersjs/socketio'`, `import { socketio as type, a } from 'alula/socketio'`],
  [
    `import type, * as all from '@feathersjs/express'\ntype()\nall.json()`,
    `import type, * as all from 'alula/express'\ntype()\nall.json()`
  ],
  [`import type io from '@feathersjs/socketio'`, `import type { socketio as io } from 'alula/socketio'`],
  [
    `import { type default as io } from '@feathersjs/socketio'`,
    `import { type socketio as io } from 'alula/socketio'`
  ],
  [
    `import { type, cors } from '@feathersjs/express'`,
    `import { type } from 'alula/express'\nimport cors from 'cors'`
  ],
  [
    `import { type as a, cors } from '@feathersjs/express'`,
    `import { type as a } from 'alula/express'\nimport cors from 'cors'`
  ],
  // A name of the whole module, together with others.
  [
    `import express, * as all from '@feathersjs/express'\nexpress.json()\nall()`,
    `import all, * as express from 'alula/express'\nexpress.json()\nall()`
  ],
  [
    `import errors, * as all from '@feathersjs/errors'\nerrors.a\nall.b`,
    `import * as errors from 'alula/errors'\nimport * as all from 'alula/errors'\nerrors.a\nall.b`
  ],
  [
    `import io, * as all from '@feathersjs/socketio'`,
    `import * as all from 'alula/socketio'\nimport { socketio as io } from 'alula/socketio'`
  ],
  // A default export under its own name is one, with members or without.
  [
    `import { default as express } from '@feathersjs/express'\nexpress(express.json())`,
    `import * as express from 'alula/express'\nexpress.express(express.json())`
  ],
  [
    `import { default as e, rest } from '@feathersjs/express'\ne.json()`,
    `import * as e from 'alula/express'\nimport { rest } from 'alula/express'\ne.json()`
  ],
  [
    `const { default: e, rest } = require('@feathersjs/express')\ne(e.json())`,
    `const e = require('alula/express')\nconst { rest } = require('alula/express')\ne.express(e.json())`
  ],
  [
    `const { default: e } = await import('@feathersjs/express')\ne.json()`,
    `const e = await import('alula/express')\ne.json()`
  ],
  [`import { default as e } from '@feathersjs/errors'`, `import * as e from 'alula/errors'`],
  // Braces without a name.
  [`import {} from '@feathersjs/errors'`, `import {} from 'alula/errors'`],
  [`import type {} from '@feathersjs/express'`, `import type {} from 'alula/express'`],
  [`import express, {} from '@feathersjs/express'`, `import express, {} from 'alula/express'`],
  [`export {} from '@feathersjs/feathers'`, `export {} from 'alula'`],
  [`const {} = require('@feathersjs/express')`, `const {} = require('alula/express')`],
  // Names that are written as strings.
  [
    `import { "NotFound" as nf } from '@feathersjs/errors'`,
    `import { "NotFound" as nf } from 'alula/errors'`
  ],
  [
    `import { 'cors' as c, type "rest" as r } from '@feathersjs/express'`,
    `import { type "rest" as r } from 'alula/express'\nimport c from 'cors'`
  ],
  [
    `const { "cors": c, 'rest': r } = require('@feathersjs/express')`,
    `const { 'rest': r } = require('alula/express')\nconst c = require('cors')`
  ],
  [
    `export { cors, rest as "the rest" } from '@feathersjs/express'`,
    `export { rest as "the rest" } from 'alula/express'\nexport { default as cors } from 'cors'`
  ],
  [`export * as "all" from '@feathersjs/errors'`, `export * as "all" from 'alula/errors'`],
  // Comments around a statement stay.
  [
    `// a\nimport { rest, cors } from '@feathersjs/express' // b\nc // d\ne`,
    `// a\nimport { rest } from 'alula/express'\nimport cors from 'cors' // b\nc // d\ne`
  ],
  // A statement that only one other may hold, and one that exports its variables, stay one.
  [
    `if (a) var { rest, cors } = require('@feathersjs/express'); else b()`,
    `if (a) var { rest } = require('alula/express'), cors = require('cors'); else b()`
  ],
  [
    `for (const { rest, cors } = require('@feathersjs/express'); ; ) {}`,
    `for (const { rest } = require('alula/express'), cors = require('cors'); ; ) {}`
  ],
  [
    `export const { rest, cors } = require('@feathersjs/express')`,
    `export const { rest } = require('alula/express')\nexport const cors = require('cors')`
  ],
  [
    `import { channels } from '@feathersjs/transport-commons'\nif (a) app.configure(channels())`,
    `if (a) app`
  ],
  // What is around the module stays around it.
  [
    `const { rest, cors } = (require('@feathersjs/express'));`,
    `const { rest } = (require('alula/express'));\nconst cors = (require('cors'));`
  ],
  [
    `import { rest, cors } from '@feathersjs/express' with { a: 'b' };`,
    `import { rest } from 'alula/express' with { a: 'b' };\nimport cors from 'cors' with { a: 'b' };`
  ],
  // What is new has the indentation of its line.
  [
    `  a; import { rest, cors } from '@feathersjs/express'`,
    `  a; import { rest } from 'alula/express'\n  import cors from 'cors'`
  ],
  // What only has the name of the default export is something else.
  [
    `export { default as io } from '@feathersjs/socketio'\nconst io = f()\nio.a`,
    `export { socketio as io } from 'alula/socketio'\nconst io = f()\nio.a`
  ],
  [`import * as io from '@feathersjs/socketio'\nf(io)`, `import * as io from 'alula/socketio'\nf(io)`],
  // What a client augments is what a server does.
  [
    `import { rest } from '@feathersjs/rest-client'\ndeclare module '@feathersjs/feathers' {}`,
    `import { rest } from 'alula/client'\ndeclare module 'alula' {}`
  ],
  // Default exports, of which `export … from` has none without braces.
  [`import { default as e } from '@feathersjs/express'`, `import { default as e } from 'alula/express'`],
  [`export { cors } from '@feathersjs/express'`, `export { default as cors } from 'cors'`],
  [
    `export { cors, rest } from '@feathersjs/express'`,
    `export { rest } from 'alula/express'\nexport { default as cors } from 'cors'`
  ]
])('%j becomes %j', (source, expected) => {
  expect(rewriteSource(source).text).toBe(expected)
})

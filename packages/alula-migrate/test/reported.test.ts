import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { rewriteSource } from '../src/rewrite.ts'
import { ANCHORS } from '../src/rewritten.ts'

it.each([
  [`import { NotFound } from '@feathersjs/errors'`, ['1: @feathersjs/errors → alula/errors']],
  [
    `\n\nimport { rest,\n  cors } from '@feathersjs/express'`,
    ['4: @feathersjs/express → alula/express, cors']
  ],
  [
    `import * as e from '@feathersjs/express'\ne(e.json())`,
    ['2: e() → e.express()', '1: @feathersjs/express → alula/express']
  ],
  [
    `import { stripSlashes, createDebug } from '@feathersjs/commons'`,
    ['1: @feathersjs/commons → alula, @feathersjs/commons']
  ],
  [
    `import type { MemoryServiceOptions } from '@feathersjs/memory'`,
    ['1: @feathersjs/memory → alula/memory']
  ],
  [
    `import errors, * as all from '@feathersjs/errors'\nerrors.a\nall.b`,
    ['1: @feathersjs/errors → alula/errors']
  ],
  [`a\nimport '@feathersjs/transport-commons'`, ['2: @feathersjs/transport-commons → (not needed)']],
  [`import {} from '@feathersjs/express'`, ['1: @feathersjs/express → alula/express']],
  [`\nimport '@feathersjs/errors'`, ['2: @feathersjs/errors → alula/errors']],
  [`\nrequire('@feathersjs/feathers')()`, ['2: @feathersjs/feathers → alula']],
  [`\nlet a: import('@feathersjs/feathers').Params`, ['2: @feathersjs/feathers → alula']],
  [`\ndeclare module '@feathersjs/koa/lib' {}\n`, []],
  [`declare module '@feathersjs/feathers/lib' {}\n`, ['1: @feathersjs/feathers/lib → alula']],
  [`\njest.mock('@feathersjs/errors')`, ['2: @feathersjs/errors → alula/errors']],
  // What is left as it is was not changed.
  [`import { rest, /* all */ cors } from '@feathersjs/express'`, []],
  [`import { stripSlashes } from '@feathersjs/commons'`, []],
  [`import '@feathersjs/schema'`, []],
  [`const a = '@feathersjs/express'`, []]
])('%j is reported as %j', (source, expected) => {
  expect(rewriteSource(source).changes.map(({ line, text }) => `${line}: ${text}`)).toEqual(expected)
})

it.each([
  [
    `import a from '@feathersjs/other'`,
    `1: '@feathersjs/other': no counterpart of it is known`,
    'manual-changes'
  ],
  [
    `import a from '@feathersjs/express/lib/other'`,
    `1: '@feathersjs/express/lib/other': only @feathersjs/express has a counterpart, not the modules in it`,
    'manual-changes'
  ],
  [
    `const external = ['@feathersjs/express']`,
    `1: '@feathersjs/express' is a string here: whether it has to change depends on the code that reads it`,
    'manual-changes'
  ],
  [
    `import('@feathersjs/' + name)`,
    `1: the name of this module is computed: rewrite it by hand`,
    'manual-changes'
  ],
  [
    `a\nconst b = require("@feathersjs/feathers" + path)`,
    `2: the name of this module is computed: rewrite it by hand`,
    'manual-changes'
  ],
  [
    `await import(\`@feathersjs/\${name}\`)`,
    `1: the name of this module is computed: rewrite it by hand`,
    'manual-changes'
  ],
  [
    "require.resolve('@feathersjs/' + name)",
    `1: the name of this module is computed: rewrite it by hand`,
    'manual-changes'
  ],
  [
    `jest.mock('@feathersjs/errors')`,
    `1: a mock of '@feathersjs/errors' is one of 'alula/errors' now, with other names`,
    'manual-changes'
  ],
  [
    `/** @type {import('@feathersjs/express').ExpressOverrides} */`,
    `1: 'ExpressOverrides' of '@feathersjs/express' has no counterpart: its type is divided differently`,
    'names'
  ],
  [
    `\nimport { channels } from '@feathersjs/transport-commons'\nstart(channels())`,
    `2: 'channels' of '@feathersjs/transport-commons' has no counterpart: every application has channels: remove the line that configures them`,
    'names'
  ],
  [
    `require('@feathersjs/express').query`,
    `1: 'query' of '@feathersjs/express' has no counterpart: Express 5 has none`,
    'names'
  ],
  [
    `const e = require('@feathersjs/express')\ne.query`,
    `2: 'query' has no counterpart: Express 5 has none`,
    'names'
  ],
  [
    `const { default: a } = require('@feathersjs/errors')`,
    `1: 'default' of '@feathersjs/errors' has no counterpart: the module has no default export`,
    'names'
  ],
  [
    `import { NotFound } from '@feathersjs/errors'\nif (error instanceof NotFound) {}`,
    `2: errors of packages that stay are not 'instanceof NotFound'`,
    'errors'
  ],
  [
    `import { NotFound as N } from '@feathersjs/errors/lib'\nif (error instanceof N) {}`,
    `2: errors of packages that stay are not 'instanceof N'`,
    'errors'
  ],
  [
    `const errors = require('@feathersjs/errors')\nif (error instanceof errors.NotFound) {}`,
    `2: errors of packages that stay are not 'instanceof errors'`,
    'errors'
  ],
  [
    `import errors from '@feathersjs/errors'\nif (error instanceof errors.NotFound) {}`,
    `2: errors of packages that stay are not 'instanceof errors'`,
    'errors'
  ],
  [`const e = require('@feathersjs/express')\ne(a)\ne.cors()`, `3: 'cors' comes from 'cors' now`, 'names'],
  [
    `const e = require('@feathersjs/express')\nconst { json, cors } = e\ne(a)`,
    `2: 'cors' comes from 'cors' now`,
    'names'
  ],
  [`app.use(require('@feathersjs/express').cors())`, `1: 'cors' is the package 'cors' now`, 'names'],
  [
    `const e = require('@feathersjs/express')\ne.json()\nf(e)`,
    `3: 'e' is a module here, and its function is 'e.express'`,
    'names'
  ],
  [
    `import io from '@feathersjs/socketio'\nio.default\nf(io)`,
    `3: 'io' is a module here, and its function is 'io.socketio'`,
    'names'
  ],
  [
    `const y = await import('@feathersjs/memory')\nexport default y`,
    `2: 'y' is a module here, and its function is 'y.memory'`,
    'names'
  ],
  [
    `const y = await import('@feathersjs/memory')\nexport { y }`,
    `2: 'y' is a module here, and its function is 'y.memory'`,
    'names'
  ],
  [
    `const y = await import('@feathersjs/memory')\ny()\npick(y)`,
    `3: 'y' is a module here, and its function is 'y.memory'`,
    'names'
  ],
  [
    `const y = await import('@feathersjs/memory')\na = { ...y }`,
    `2: 'y' is a module here, and its function is 'y.memory'`,
    'names'
  ],
  [
    `\nexport const y = await import('@feathersjs/memory')\ny()`,
    `2: 'y' is a module here, and its function is 'y.memory'`,
    'names'
  ],
  [
    `declare module '@feathersjs/express' {}`,
    `1: only 'alula' can be augmented, 'alula/express' cannot`,
    'typescript'
  ],
  [
    `import { rest, /* all */ cors } from '@feathersjs/express'`,
    `1: rewrite this by hand: { rest } from 'alula/express'; cors from 'cors'`,
    'names'
  ],
  [
    `import { rest, cors } from '@feathersjs/express' /* all */;`,
    `1: rewrite this by hand: { rest } from 'alula/express'; cors from 'cors'`,
    'names'
  ],
  [
    `import * as io from '@feathersjs/socketio'\nf(io)`,
    `2: 'io' is a module here, and its function is 'io.socketio'`,
    'names'
  ],
  [
    `import errors, /* and */ * as all from '@feathersjs/errors'\nerrors.a\nall.b`,
    `1: rewrite this by hand: * as errors from 'alula/errors'; * as all from 'alula/errors'`,
    'names'
  ],
  [
    `import /* the */ e, { cors, json as j } from '@feathersjs/express'\ne.a`,
    `1: rewrite this by hand: * as e from 'alula/express'; { json as j } from 'alula/express'; cors from 'cors'`,
    'names'
  ],
  [
    `import io = require('@feathersjs/socketio')\nio()`,
    `1: rewrite this by hand: { socketio as io } from 'alula/socketio'`,
    'names'
  ],
  [
    `const { channels } = require('@feathersjs/transport-commons'), a = 1\napp.configure(channels())`,
    `1: rewrite this by hand: no name of '@feathersjs/transport-commons' is needed`,
    'names'
  ],
  [
    `export * from '@feathersjs/client'`,
    `1: not every name of '@feathersjs/client' is in 'alula/client'`,
    'names'
  ],
  [
    `import('@feathersjs/socketio').then((m) => m.default)`,
    `1: 'alula/socketio' is a module with names, and no function`,
    'names'
  ],
  [
    `import('@feathersjs/adapter-commons')`,
    `1: 'alula/adapter' is a module with names, and no function`,
    'names'
  ]
])('%j needs a human: %j, with more under %j', (source, sentence, anchor) => {
  const { remarks } = rewriteSource(source)

  expect(remarks.map((remark) => [`${remark.line}: ${remark.text}`, remark.anchor])).toEqual([
    [sentence, anchor]
  ])
})

it.each([
  `import { NotFound } from '@feathersjs/errors'\nnew NotFound()\nNotFound.a`,
  `import { NotFound } from '@feathersjs/errors'\na instanceof Conflict`,
  `import express from '@feathersjs/express'\na instanceof express`,
  `export * from '@feathersjs/errors'`,
  `import {} from '@feathersjs/client'`,
  `import('@feathersjs/errors').then((m) => m.NotFound)`,
  `const y = await import('@feathersjs/memory')`,
  `const y = await import('@feathersjs/memory')\ny()`,
  `export const y = await import('@feathersjs/errors')`,
  `require('@feathersjs/feathers')()`,
  `declare module '@feathersjs/feathers' {}`,
  `const a = '@feathersjs/schema'`,
  `const a = '@feathersjs/' + name`,
  `load('@feathersjs/' + name)`,
  `const a = \`@feathersjs/\${name}\``,
  `import('./' + name)`,
  `require(\`./\${name}\`)`,
  `const a = '@feathersjs/other'`,
  `import '@feathersjs/schema'`,
  `import 'other'`
])('%j needs nobody', (source) => {
  expect(rewriteSource(source).remarks).toEqual([])
})

it('every place to read on is a heading of the page', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/migrating.md'), 'utf8')
  const headings = [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    (heading as string).toLowerCase().replaceAll(' ', '-')
  )

  expect(headings).toEqual(expect.arrayContaining([...ANCHORS]))
})

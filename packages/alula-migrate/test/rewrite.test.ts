import { expect, it } from 'vitest'
import { rewriteSource } from '../src/rewrite.ts'

/** Rewrites, and checks that there is nothing left for a second time. */
function rewrite(source: string, jsx = false): string {
  const { text } = rewriteSource(source, jsx ? 'a.tsx' : 'a.ts')
  const again = rewriteSource(text, jsx ? 'a.tsx' : 'a.ts')

  expect(again.text).toBe(text)
  expect(again.changes).toEqual([])

  return text
}

it.each([
  // One entry has every name: only the module changes.
  [`import { feathers } from '@feathersjs/feathers'`, `import { feathers } from 'alula'`],
  [`import type { Params, Id } from "@feathersjs/feathers";`, `import type { Params, Id } from "alula";`],
  [
    `import { type Params, feathers as f } from '@feathersjs/feathers'`,
    `import { type Params, feathers as f } from 'alula'`
  ],
  [`import express, { rest } from '@feathersjs/express'`, `import express, { rest } from 'alula/express'`],
  [`import * as errors from '@feathersjs/errors'`, `import * as errors from 'alula/errors'`],
  [
    `import {\n  a, // first\n  b\n} from '@feathersjs/errors'`,
    `import {\n  a, // first\n  b\n} from 'alula/errors'`
  ],
  [`export * from '@feathersjs/errors'`, `export * from 'alula/errors'`],
  [`export * as errors from '@feathersjs/errors'`, `export * as errors from 'alula/errors'`],
  [`export type { Params } from '@feathersjs/feathers'`, `export type { Params } from 'alula'`],
  [`export { default } from '@feathersjs/express'`, `export { default } from 'alula/express'`],
  [`import { NotFound } from '@feathersjs/errors/lib'`, `import { NotFound } from 'alula/errors'`],
  [`import { Params } from '@feathersjs/feathers/lib/declarations'`, `import { Params } from 'alula'`],
  [`import '@feathersjs/express'`, `import 'alula/express'`],
  // Default exports that have names now.
  [`import socketio from '@feathersjs/socketio'`, `import { socketio } from 'alula/socketio'`],
  [`import io from '@feathersjs/socketio';`, `import { socketio as io } from 'alula/socketio';`],
  [
    `import auth, { hooks } from '@feathersjs/authentication-client'`,
    `import { authentication as auth, hooks } from 'alula/client'`
  ],
  [`import { default as io } from '@feathersjs/socketio'`, `import { socketio as io } from 'alula/socketio'`],
  [`export { default as socketio } from '@feathersjs/socketio'`, `export { socketio } from 'alula/socketio'`],
  [
    `import errors from '@feathersjs/errors'\nnew errors.NotFound()`,
    `import * as errors from 'alula/errors'\nnew errors.NotFound()`
  ],
  // Names that moved.
  [`import { Channel } from '@feathersjs/transport-commons'`, `import { Channel } from 'alula'`],
  [
    `import { rest, cors } from '@feathersjs/express'`,
    `import { rest } from 'alula/express'\nimport cors from 'cors'`
  ],
  [`  import { cors as c } from '@feathersjs/express';\r\nx`, `  import c from 'cors';\r\nx`],
  [
    `import express, {\n  rest,\n  cors,\n  json\n} from '@feathersjs/express'`,
    `import express, {\n  rest,\n  json\n} from 'alula/express'\nimport cors from 'cors'`
  ],
  [
    `import {\r\n\tcompression,\r\n\trest,\r\n\tjson,\r\n} from "@feathersjs/express";\r\n`,
    `import {\r\n\trest,\r\n\tjson,\r\n} from "alula/express";\r\nimport compression from "compression";\r\n`
  ],
  [
    `import {rest, cors} from '@feathersjs/express'`,
    `import {rest} from 'alula/express'\nimport cors from 'cors'`
  ],
  [
    `import type { MemoryServiceOptions } from '@feathersjs/memory'`,
    `import type { MemoryOptions as MemoryServiceOptions } from 'alula/memory'`
  ],
  [
    `import { AdapterBase, type PaginationOptions } from '@feathersjs/adapter-commons'`,
    `import { AdapterBase } from 'alula/adapter'\nimport { type PaginationOptions } from 'alula'`
  ],
  [
    `import { version, rest } from '@feathersjs/client'`,
    `import { rest } from 'alula/client'\nimport { version } from 'alula'`
  ],
  [
    `import { createDebug, stripSlashes } from '@feathersjs/commons'`,
    `import { createDebug } from 'alula'\nimport { stripSlashes } from '@feathersjs/commons'`
  ],
  // What is always there.
  [`import 'a'\nimport '@feathersjs/transport-commons'\nimport 'b'`, `import 'a'\nimport 'b'`],
  [`import 'a'; import '@feathersjs/transport-commons'; import 'b'`, `import 'a';  import 'b'`],
  [
    `import { channels, Channel } from '@feathersjs/transport-commons'\napp.configure(channels())\nb`,
    `import { Channel } from 'alula'\nb`
  ],
  // A semicolon that begins the next line stays there.
  [
    `import { channels } from '@feathersjs/transport-commons'\nconst a = b\napp.configure(channels())\n;[1].map(c)`,
    `const a = b\n;[1].map(c)`
  ],
  [
    `import { channels, routing as r } from '@feathersjs/transport-commons'\nconst app = feathers().configure(channels()).configure(r())`,
    `const app = feathers()`
  ],
  [
    `const { channels } = require('@feathersjs/transport-commons')\napp.configure(channels()).use(a)`,
    `app.use(a)`
  ],
  // Modules of a package.
  [
    `import { Application } from '@feathersjs/koa/src/declarations'`,
    `import { Application } from 'alula/koa'`
  ],
  [
    `import { AuthenticationService } from '@feathersjs/authentication/'`,
    `import { AuthenticationService } from 'alula/authentication'`
  ],
  [
    `import { OAuthService } from '@feathersjs/authentication-oauth/lib/service'`,
    `import { OAuthService } from 'alula/oauth'`
  ],
  [
    `import hash from '@feathersjs/authentication-local/lib/hooks/hash-password'`,
    `import { hashPassword as hash } from 'alula/authentication'`
  ],
  // What an inner scope declares is something else.
  [
    `import io from '@feathersjs/socketio'\nconst f = (io) => io.rooms\napp.configure(io((io) => io.on('a')))`,
    `import { socketio as io } from 'alula/socketio'\nconst f = (io) => io.rooms\napp.configure(io((io) => io.on('a')))`
  ],
  // Types.
  [`let a: import('@feathersjs/feathers').Params`, `let a: import('alula').Params`],
  [`let a: import('@feathersjs/memory').MemoryServiceOptions`, `let a: import('alula/memory').MemoryOptions`],
  [
    `declare module '@feathersjs/feathers' { interface Params {} }`,
    `declare module 'alula' { interface Params {} }`
  ],
  [`declare module "@feathersjs/feathers/lib/declarations" {}`, `declare module "alula" {}`],
  [`import errors = require('@feathersjs/errors')`, `import errors = require('alula/errors')`],
  // Types in comments of JSDoc.
  [`/** @type {import('@feathersjs/feathers').Params} */`, `/** @type {import('alula').Params} */`],
  [
    `/**\n * @typedef {import("@feathersjs/memory").MemoryServiceOptions} A\n * @param {import('@feathersjs/errors')} b\n */`,
    `/**\n * @typedef {import("alula/memory").MemoryOptions} A\n * @param {import('alula/errors')} b\n */`
  ],
  [
    `/** @import { Params } from '@feathersjs/feathers' */ let a`,
    `/** @import { Params } from 'alula' */ let a`
  ],
  // Loaded at run time.
  [`const a = await import('@feathersjs/errors')`, `const a = await import('alula/errors')`],
  [
    `const { default: io } = await import('@feathersjs/socketio')`,
    `const { socketio: io } = await import('alula/socketio')`
  ],
  // Awaited, a module is its names: as before, where it is not only called.
  [
    `const y = await import('@feathersjs/memory')\napp.use('a', y())`,
    `const { memory: y } = await import('alula/memory')\napp.use('a', y())`
  ],
  [
    `const y = await import('@feathersjs/memory')\nexport default y`,
    `const y = await import('alula/memory')\nexport default y`
  ],
  [
    `const y = await import('@feathersjs/memory')\nf(y(), { ...y }, y.default)`,
    `const y = await import('alula/memory')\nf(y.memory(), { ...y }, y.memory)`
  ],
  [
    `export const y = await import('@feathersjs/memory')\ny()`,
    `export const y = await import('alula/memory')\ny.memory()`
  ],
  [`const y = await import('@feathersjs/memory')`, `const y = await import('alula/memory')`],
  [`const a = await import('@feathersjs/socketio', {})`, `const a = await import('alula/socketio', {})`],
  ['import(`@feathersjs/errors`)', 'import(`alula/errors`)'],
  [`require.resolve('@feathersjs/errors')`, `require.resolve('alula/errors')`]
])('%s', (source, expected) => {
  expect(rewrite(source)).toBe(expected)
})

it.each([
  [
    `const feathers = require('@feathersjs/feathers');\nfeathers()`,
    `const { feathers } = require('alula');\nfeathers()`
  ],
  [`const f = require('@feathersjs/feathers')\nf()`, `const { feathers: f } = require('alula')\nf()`],
  [
    `var { NotFound, Conflict: C } = require("@feathersjs/errors")`,
    `var { NotFound, Conflict: C } = require("alula/errors")`
  ],
  [`const errors = require('@feathersjs/errors')`, `const errors = require('alula/errors')`],
  [
    `let { rest, cors } = require('@feathersjs/express');`,
    `let { rest } = require('alula/express');\nlet cors = require('cors');`
  ],
  [
    `const a = require('a'), { rest, cors } = require('@feathersjs/express')`,
    `const a = require('a'), { rest } = require('alula/express'), cors = require('cors')`
  ],
  [
    `const { rest, cors } = require('@feathersjs/express'), a = 1`,
    `const { rest } = require('alula/express'), cors = require('cors'), a = 1`
  ],
  [
    `a = 1\nconst { rest, cors } = require('@feathersjs/express')`,
    `a = 1\nconst { rest } = require('alula/express')\nconst cors = require('cors')`
  ],
  [
    `const { rest, cors } = await import('@feathersjs/express')`,
    `const { rest } = await import('alula/express')\nconst { default: cors } = await import('cors')`
  ],
  [
    `const e = require('@feathersjs/express')\ne(app)`,
    `const { express: e } = require('alula/express')\ne(app)`
  ],
  [`const e = require('@feathersjs/express').default`, `const e = require('alula/express').default`],
  [
    `const e = require('@feathersjs/express')\ne.default(e.json())`,
    `const e = require('alula/express')\ne.default(e.json())`
  ],
  [
    `const a = require('a'), io = require('@feathersjs/socketio'), b = 1`,
    `const a = require('a'), { socketio: io } = require('alula/socketio'), b = 1`
  ],
  [`const app = require('@feathersjs/feathers')()`, `const app = require('alula').feathers()`],
  [`const io = require('@feathersjs/socketio').default`, `const io = require('alula/socketio').socketio`],
  [
    `const { NotFound } = require('@feathersjs/errors').errors`,
    `const { NotFound } = require('alula/errors').errors`
  ],
  [
    `const express = require('@feathersjs/express')\nconst app = express(feathers())\napp.use(express.json())\napp.use({ express: {} })`,
    `const express = require('alula/express')\nconst app = express.express(feathers())\napp.use(express.json())\napp.use({ express: {} })`
  ],
  // Where the name is another variable, and where it is this one.
  [
    `const express = require('@feathersjs/express')\nexpress(express.json())\nswitch (a) {\n  case 1:\n    const express = b\n    express()\n}`,
    `const express = require('alula/express')\nexpress.express(express.json())\nswitch (a) {\n  case 1:\n    const express = b\n    express()\n}`
  ],
  [
    `function f() {\n  if (a) {\n    var express = require('@feathersjs/express')\n  }\n  express(express.json())\n}`,
    `function f() {\n  if (a) {\n    var express = require('alula/express')\n  }\n  express.express(express.json())\n}`
  ],
  [
    `const express = require('@feathersjs/express')\nconst { json, static: files } = express\nexpress(app)`,
    `const express = require('alula/express')\nconst { json, static: files } = express\nexpress.express(app)`
  ],
  [
    `import express from '@feathersjs/express'\nexpress(app)\nfunction f({ json = g(a, b), ...others } = express) {}`,
    `import * as express from 'alula/express'\nexpress.express(app)\nfunction f({ json = g(a, b), ...others } = express) {}`
  ],
  [
    `const io = require('@feathersjs/socketio')\nconst { default: socketio } = io`,
    `const io = require('alula/socketio')\nconst { socketio: socketio } = io`
  ],
  [
    `const io = require('@feathersjs/socketio')\nio['default'](a)`,
    `const io = require('alula/socketio')\nio['socketio'](a)`
  ],
  [
    `import express from '@feathersjs/express'\nexpress(app).use(express.static('.'))`,
    `import * as express from 'alula/express'\nexpress.express(app).use(express.static('.'))`
  ],
  [
    `import * as io from '@feathersjs/socketio'\napp.configure(io())`,
    `import { socketio as io } from 'alula/socketio'\napp.configure(io())`
  ],
  [
    `const {\n  feathers,\n  hookMixin\n} = require('@feathersjs/feathers')`,
    `const {\n  feathers\n} = require('alula')\nconst { hookMixin } = require('@feathersjs/feathers')`
  ]
])('CommonJS: %s', (source, expected) => {
  expect(rewrite(source)).toBe(expected)
})

it.each([
  `// import a from '@feathersjs/feathers'`,
  `/* @type {import('@feathersjs/feathers').Params} */`,
  `/** @type {import('@feathersjs/knex').KnexService} */`,
  `/** from '@feathersjs/feathers' */`,
  `const a = "import b from '@feathersjs/feathers'"`,
  `const a = \`\nimport b from "@feathersjs/feathers"\n\${c}\``,
  `const a = /require('@feathersjs\\/feathers')/`,
  `import a from './@feathersjs/feathers'`,
  `import a from '@feathersjs-other/feathers'`,
  `a.require('@feathersjs/feathers')`,
  `a.import('@feathersjs/feathers')`,
  `a.import\n'@feathersjs/feathers'`,
  `load('@feathersjs/feathers')`,
  `require.load('@feathersjs/feathers')`,
  `require('@feathersjs/feathers' + a)`,
  `import { a } from '@feathersjs/' + 'feathers'`,
  `import configuration from '@feathersjs/configuration'`,
  `import { KnexService } from '@feathersjs/knex'\nimport { resolve } from '@feathersjs/schema'`,
  `import { hooks } from '@feathersjs/hooks'`,
  `const a = '@feathersjs/express'`,
  ''
])('%s stays as it is', (source) => {
  expect(rewriteSource(source).text).toBe(source)
})

it('text between tags is no import', () => {
  const source = `const a = <pre>\n  import b from '@feathersjs/feathers'\n  it's {require('@feathersjs/errors').NotFound}\n</pre>`

  expect(rewrite(source, true)).toBe(source.replace('@feathersjs/errors', 'alula/errors'))
})

it('a byte order mark, a hashbang and line endings stay', () => {
  expect(rewrite(`\uFEFF#!/usr/bin/env node\r\nimport { a } from '@feathersjs/errors'\r\n`)).toBe(
    `\uFEFF#!/usr/bin/env node\r\nimport { a } from 'alula/errors'\r\n`
  )
  expect(rewrite(`\uFEFFimport '@feathersjs/transport-commons'\r\na`)).toBe('\uFEFFa')
  expect(rewrite(`\uFEFFimport { rest, cors } from '@feathersjs/express'`)).toBe(
    `\uFEFFimport { rest } from 'alula/express'\nimport cors from 'cors'`
  )
})

it('a file that connects to a server has the application of a client, unless it is a server too', () => {
  const client = `import { feathers, version, Application } from '@feathersjs/feathers'\nimport rest from '@feathersjs/rest-client'`
  const server = `${client}\nimport express from '@feathersjs/express'`

  expect(rewrite(client)).toBe(
    `import { feathers, Application } from 'alula/client'\nimport { version } from 'alula'\nimport { rest } from 'alula/client'`
  )
  expect(rewrite(server)).toContain(`import { feathers, version, Application } from 'alula'`)
})

it('an application on Koa keeps its names', () => {
  const names = 'koa, rest, bodyParser, errorHandler, parseAuthentication, cors, serveStatic'

  expect(rewrite(`import { ${names} } from '@feathersjs/koa'`)).toContain(
    `import { ${names} } from 'alula/koa'`
  )
})

it('keys and members that are called like a module are other things', () => {
  const source = `const e = require('@feathersjs/express')\ne(e.json())\na.e(b?.e(), { e: 1, c: 2 })`
  const { text, remarks } = rewriteSource(source)

  expect(text).toBe(`const e = require('alula/express')\ne.express(e.json())\na.e(b?.e(), { e: 1, c: 2 })`)
  expect(remarks).toEqual([])
})

it('what has to be written anew is left alone as a whole', () => {
  const source = `import /* the */ express from '@feathersjs/express'\nexpress(express.json())`

  expect(rewriteSource(source)).toMatchObject({ text: source, changes: [] })
})

it.each([
  [`import { a } from '@feathersjs/errors'\nimport b from 'b/c'`, ['alula', 'alula/errors', 'b', 'b/c']],
  [`import io from '@feathersjs/socketio'`, ['alula', 'alula/socketio']],
  [`import { rest, cors } from '@feathersjs/express'`, ['alula', 'alula/express', 'cors']],
  [`import { stripSlashes } from '@feathersjs/commons'`, ['@feathersjs/commons']],
  [`import { resolve } from '@feathersjs/schema'`, ['@feathersjs/schema']],
  [`declare module '@feathersjs/express' {}`, ['@feathersjs/express']],
  [`require('@feathersjs/express').cors`, ['@feathersjs/express']],
  [`import { rest, /* all */ cors } from '@feathersjs/express'`, ['@feathersjs/express']],
  [`const a = '@feathersjs/express'`, []]
])('%j loads %j then', (source, packages) => {
  expect([...rewriteSource(source).packages].sort()).toEqual(packages)
})

it.each([
  [`import type { Context } from 'koa'\nexport const f = (ctx: Context) => ctx.request.body`, true],
  [`import type { Context } from "koa";\nexport const f = ({ request }: Context) => request.files;`, true],
  [`import Router from '@koa/router'\nrouter.post('/', (ctx) => ctx.request.body)`, true],
  [`import type { Context } from 'koa'\nexport const f = (ctx: Context) => ctx.path`, false],
  [
    `import 'koa-body'\nimport type { Context } from 'koa'\nexport const f = (ctx: Context) => ctx.request.body`,
    false
  ],
  [`import { koa } from '@feathersjs/koa'\napp.use((ctx) => ctx.request.body)`, false]
])('%j has to import the types of koa-body: %j', (source, isAdded) => {
  const { text, packages, changes } = rewriteSource(source, 'a.ts', true)

  expect(/^import type \{\} from ['"]koa-body['"];?$/m.test(text)).toBe(isAdded)
  expect(rewriteSource(source, 'a.ts').text).not.toContain('import type {}')
  expect(rewriteSource(source, 'a.js', true).text).not.toContain('import type {}')
  expect(rewriteSource(text, 'a.ts', true).text).toBe(text)
  if (isAdded) expect([...packages]).toContain('koa-body')
  expect(changes.map((change) => change.text).includes('+ koa-body, whose types @feathersjs/koa added')).toBe(
    isAdded
  )
})

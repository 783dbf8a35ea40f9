import { expect, it } from 'vitest'
import { parseSource, readSources } from '../scripts/support/sources.mjs'
import { findSymbols } from '../scripts/support/symbols.mjs'

/**
 * The symbols of the library, and why each is one. A symbol that is the key of a property carries meaning that no type of
 * the object shows, so that the list may only become shorter.
 */
const ALLOWED: { readonly [file: string]: { readonly [name: string]: string } } = {
  'packages/alula-testing/src/document-requests.ts': { INVENTED: 'a value that no body can be' },
  'src/adapter/base.ts': {
    SERVICE: 'of Feathers v5: the options of a registered service'
  },
  'src/client/socket.ts': {
    REFUSAL: 'on sockets: the error of the server that refused them',
    PAUSED: 'on sockets: the client is about to connect again'
  },
  'src/core/hooks.ts': { SERVICE_HOOKS: 'on services: their registry of hooks' },
  'src/core/own-access.ts': { OWN_ACCESS: 'on services of the library: they say themselves who may call' },
  'src/core/publish.ts': {
    PUBLISHING: 'on services: their publishers and what is being sent',
    ANY: 'a value that no name of an event equals'
  },
  'src/core/service.ts': {
    SERVICE: 'of Feathers v5: the options of a registered service',
    ROUTES: 'on options of services: their parsed routes'
  },
  'src/express/server.ts': { CLASSES: 'on applications of Express: their classes of requests and responses' },
  'src/core/single-copy.ts': { COPY: 'on the global object: the copy of alula that came first' },
  'src/hooks/interop.ts': { HOOKS: 'of Feathers v5: the hook manager of an object or a function' },
  'src/hooks/traits.ts': {
    TRAITS: 'on functions that get a context: what they say about themselves',
    GUARD: 'on hooks, also of applications: the function that guards all calls of the service'
  },
  'src/koa/request.ts': { PARSED: 'on requests of Koa: their parsed query' },
  'src/koa/send.ts': { SERVED: 'on contexts of Koa: what a service call has set' },
  'src/kysely/values.ts': { NOTHING: 'a value that no column can hold' },
  'src/node/pipelining.ts': {
    LIMITED: 'on servers: they have limits',
    PIPELINE: 'on sockets: their pipeline'
  },
  'src/query/along.ts': {
    FINDS_AS_IS: 'on adapters: no class has overridden find'
  },
  'src/query/record-set.ts': {
    SET: 'on record sets: their own mark',
    OPERAND: 'on operands: their own mark'
  },
  'src/query/validated.ts': { VALIDATED: 'of Feathers v5: a query that a schema has checked' },
  'src/schema/ajv.ts': { TOO_COMPLEX: 'a value that is thrown and never leaves the file' },
  'src/schema/declared.ts': {
    DECLARED: 'on values of schema(): their declaration, shared by copies of a bundle'
  },
  'src/schema/form.ts': { LEFT_OUT: 'a value that no field can have' },
  'src/schema/query.ts': { UNFIT: 'a value that no field can have' },
  'src/schema/stored.ts': {
    COMPARE: 'on services: how a schema is compared with their store',
    STORED: 'on services: the fields that their store has'
  },
  'src/transport/driver-error.ts': { KNEX_ERROR: 'of Feathers v5: on errors of its adapter for Knex' },
  'src/utils/call-state.ts': { STATE: 'on contexts and params: what the library keeps of a call' },
  'src/utils/dispatch.ts': { DISPATCH: 'of Feathers v5: what clients may see of a record' },
  'src/utils/token-response.ts': { TOKEN_RESPONSE: 'on results of a login: they hold a token' }
}

it('symbols are created in the listed files, each for its reason', () => {
  const found = findSymbols(readSources()).map(({ file, name }) => `${file}: ${name}`)
  const allowed = Object.entries(ALLOWED).flatMap(([file, names]) =>
    Object.keys(names).map((name) => `${file}: ${name}`)
  )

  expect(found.sort()).toEqual(allowed.sort())
})

it('the search for symbols tells keys from values, and those of Feathers', () => {
  const source = parseSource(
    'src/core/module.ts',
    `const KEY = Symbol('key')
     export const IN: unique symbol = Symbol.for('alula/in')
     const VALUE = Symbol('value')
     const FEATHERS = Symbol.for('@feathersjs/hooks') as never
     const marks = { nested: Symbol('nested') }
     export const read = (object) => object[KEY] ?? IN in object ?? object[FEATHERS] ?? object === VALUE`
  )

  expect(findSymbols([source])).toEqual([
    { file: 'src/core/module.ts', name: 'KEY', isMark: true, isFeathers: false },
    { file: 'src/core/module.ts', name: 'IN', isMark: true, isFeathers: false },
    { file: 'src/core/module.ts', name: 'VALUE', isMark: false, isFeathers: false },
    { file: 'src/core/module.ts', name: 'FEATHERS', isMark: true, isFeathers: true },
    { file: 'src/core/module.ts', name: 'marks', isMark: false, isFeathers: false }
  ])
})

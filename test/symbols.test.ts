import { expect, it } from 'vitest'
import { parseSource, readSources } from '../scripts/support/sources.mjs'
import { findSymbols } from '../scripts/support/symbols.mjs'

type Symbols = { readonly [file: string]: { readonly [name: string]: string } }

/**
 * The symbols that carry meaning from one folder to another. A folder adds a slot to the record of a call, or a trait, and
 * no symbol: this list may only become shorter.
 */
const BETWEEN_FOLDERS: Symbols = {
  'src/hooks/traits.ts': {
    TRAITS: 'on hooks, rules and services: what they say about themselves',
    GUARD: 'on hooks, also of applications: the function that guards all calls of the service'
  },
  'src/schema/declared.ts': {
    DECLARED: 'on values of schema(): their declaration, shared by copies of a bundle'
  },
  'src/utils/call-state.ts': { STATE: 'on contexts and params: what the library keeps of a call' },
  'src/utils/token-response.ts': { TOKEN_RESPONSE: 'on results of a login: they hold a token' }
}

/** Those of one folder: on objects that are not ours, on services and their options, and values that nothing else equals. */
const OF_ONE_FOLDER: Symbols = {
  'packages/alula-testing/src/document-requests.ts': { INVENTED: 'a value that no body can be' },
  'src/client/socket.ts': {
    REFUSAL: 'on sockets: the error of the server that refused them',
    PAUSED: 'on sockets: the client is about to connect again'
  },
  'src/core/hooks.ts': { SERVICE_HOOKS: 'on services: their registry of hooks' },
  'src/core/publish.ts': {
    PUBLISHING: 'on services: their publishers and what is being sent',
    ANY: 'a value that no name of an event equals'
  },
  'src/core/service.ts': { ROUTES: 'on options of services: their parsed routes' },
  'src/express/server.ts': { CLASSES: 'on applications of Express: their classes of requests and responses' },
  'src/core/single-copy.ts': { COPY: 'on the global object: the copy of alula that came first' },
  'src/koa/request.ts': { PARSED: 'on requests of Koa: their parsed query' },
  'src/koa/served.ts': { SERVED: 'on contexts of Koa: what a service call has set' },
  'src/kysely/values.ts': { NOTHING: 'a value that no column can hold' },
  'src/node/pipelining.ts': {
    LIMITED: 'on servers: they have limits',
    PIPELINE: 'on sockets: their pipeline'
  },
  'src/schema/ajv.ts': { TOO_COMPLEX: 'a value that is thrown and never leaves the file' },
  'src/schema/form.ts': { LEFT_OUT: 'a value that no field can have' },
  'src/utils/dispatch.ts': {
    MARKS: 'on the global object: what keeps marks of records, for all copies of alula'
  },
  'src/schema/query.ts': { NO_MATCH: 'a value that no field can have' }
}

/** Those of Feathers v5, which its plugins read too. */
const OF_FEATHERS: Symbols = {
  'src/adapter/base.ts': { SERVICE: 'the options of a registered service' },
  'src/core/service.ts': { SERVICE: 'the options of a registered service' },
  'src/hooks/interop.ts': { HOOKS: 'the hook manager of an object or a function' },
  'src/query/validated.ts': { VALIDATED: 'a query that a schema has checked' },
  'src/transport/driver-error.ts': { KNEX_ERROR: 'on errors of its adapter for Knex' },
  'src/utils/dispatch.ts': { DISPATCH: 'what clients may see of a record' }
}

function toNames(...lists: readonly Symbols[]): readonly string[] {
  return lists.flatMap((list) =>
    Object.entries(list).flatMap(([file, names]) => Object.keys(names).map((name) => `${file}: ${name}`))
  )
}

it('symbols are created in the listed files, each for its reason', () => {
  const found = findSymbols(readSources()).map(({ file, name }) => `${file}: ${name}`)

  expect(found.toSorted()).toEqual(toNames(BETWEEN_FOLDERS, OF_ONE_FOLDER, OF_FEATHERS).toSorted())
})

it('at most five symbols carry meaning from one folder to another', () => {
  expect(toNames(BETWEEN_FOLDERS).length).toBeLessThanOrEqual(5)
})

it('no other folder imports a symbol of one folder', () => {
  const own = toNames(OF_ONE_FOLDER).map((entry) => entry.split(': '))
  const importing = readSources().flatMap((source) =>
    own
      .filter(([file = '', name]) => {
        const [, folder = ''] = /^(.*)\/([^/]+)$/.exec(file) ?? []
        const imported = new RegExp(`import[^;']*\\b${name}\\b[^;']*'[^']*${file.split('/').at(-1)}'`)

        return !source.fileName.startsWith(`${folder}/`) && imported.test(source.text)
      })
      .map(([, name]) => `${source.fileName}: ${name}`)
  )

  expect(importing).toEqual([])
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

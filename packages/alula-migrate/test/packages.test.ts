import { expect, it } from 'vitest'
import { isClientFile, lookUp, type Replacement, resolveName, toPackageName } from '../src/packages.ts'

it.each([
  ['feathers', 'alula'],
  ['feathers/lib', 'alula'],
  ['feathers/lib/index', 'alula'],
  ['feathers/lib/index.js', 'alula'],
  ['feathers/lib/declarations', 'alula'],
  ['feathers/lib/declarations.js', 'alula'],
  ['feathers/', 'alula'],
  ['koa/src/declarations', 'alula/koa'],
  ['express/lib/rest.js', 'alula/express'],
  ['authentication/lib/hooks/index', 'alula/authentication'],
  ['authentication-oauth/lib/service', 'alula/oauth'],
  ['authentication-local/lib/hooks/hash-password', 'alula/authentication'],
  ['transport-commons/client', 'alula/client'],
  ['express', 'alula/express'],
  ['koa', 'alula/koa'],
  ['socketio', 'alula/socketio'],
  ['errors', 'alula/errors'],
  ['authentication', 'alula/authentication'],
  ['authentication-local', 'alula/authentication'],
  ['authentication-oauth', 'alula/oauth'],
  ['authentication-client', 'alula/client'],
  ['rest-client', 'alula/client'],
  ['socketio-client', 'alula/client'],
  ['client', 'alula/client'],
  ['memory', 'alula/memory'],
  ['adapter-commons', 'alula/adapter'],
  ['transport-commons', 'alula'],
  ['commons', 'alula']
])('@feathersjs/%s is %s now', (name, entry) => {
  expect(lookUp(`@feathersjs/${name}`)).toMatchObject({ kind: 'replaced', replacement: { entry } })
})

it.each([
  ...['adapter-tests', 'cli', 'configuration', 'generators', 'hooks', 'knex', 'mongodb', 'schema', 'tests'],
  ...['typebox', 'knex/lib', 'schema/lib/resolver']
])('@feathersjs/%s stays', (name) => {
  expect(lookUp(`@feathersjs/${name}`)).toEqual({ kind: 'kept' })
})

it.each([
  'express/lib/middleware',
  'express/lib/index.json',
  'express/lib/index/a',
  'express/library',
  'express/client',
  'feathers/lib/lib'
])('what is inside of a package has no counterpart: @feathersjs/%s', (name) => {
  const packageName = `@feathersjs/${name.split('/')[0]}`

  expect(lookUp(`@feathersjs/${name}`)).toEqual({
    kind: 'unknown',
    reason: `only ${packageName} has a counterpart, not the modules in it`
  })
})

it('a package of Feathers that is in no list is unknown, and one of others is none', () => {
  expect(lookUp('@feathersjs/toString')).toEqual({
    kind: 'unknown',
    reason: 'no counterpart of it is known'
  })
  expect(lookUp('feathers-hooks-common')).toBeUndefined()
  expect(lookUp('x/@feathersjs/errors')).toBeUndefined()
})

it.each([
  ['feathers', 'hookMixin', 'it is internal to Feathers v5'],
  ['express', 'ExpressOverrides', 'its type is divided differently'],
  ['express', 'query', 'Express 5 has none'],
  ['adapter-commons', 'AdapterServiceOptions', 'use AdapterOptions of alula/adapter'],
  ['adapter-commons', 'InternalServiceMethods', 'use AdapterBase of alula/adapter'],
  ['adapter-commons', 'compare', 'use compareAny of alula/query, which has one order for all values'],
  ['transport-commons', 'channels', 'every application has channels: remove the line that configures them'],
  ['transport-commons', 'routing', 'every application has routes: remove the line that configures them'],
  ['transport-commons', 'http', 'alula/transport has the steps under other names'],
  ['commons', '_', 'it is internal to Feathers v5'],
  ['koa', 'default', 'the module has no default export']
])('@feathersjs/%s has lost %s: %s', (name, lost, reason) => {
  expect(resolve(`@feathersjs/${name}`, lost)).toBe(reason)
})

it.each([
  ['feathers', 'default', { from: 'alula', name: 'feathers' }],
  ['express', 'default', { from: 'alula/express', name: 'default' }],
  ['express', 'cors', { from: 'cors', name: 'default' }],
  ['express', 'compression', { from: 'compression', name: 'default' }],
  ['socketio', 'default', { from: 'alula/socketio', name: 'socketio' }],
  ['authentication-client', 'default', { from: 'alula/client', name: 'authentication' }],
  ['authentication-client', 'ClientConstructor', { from: 'alula/client', name: 'AuthenticationClientClass' }],
  ['rest-client', 'default', { from: 'alula/client', name: 'rest' }],
  ['rest-client', 'Transport', { from: 'alula/client', name: 'RestTransports' }],
  ['socketio-client', 'default', { from: 'alula/client', name: 'socketio' }],
  ['client', 'default', { from: 'alula/client', name: 'feathers' }],
  ['client', 'version', { from: 'alula' }],
  ['memory', 'default', { from: 'alula/memory', name: 'memory' }],
  ['memory', 'MemoryServiceOptions', { from: 'alula/memory', name: 'MemoryOptions' }],
  ['adapter-commons', 'PaginationOptions', { from: 'alula' }],
  ['transport-commons/client', 'Service', { from: 'alula/client', name: 'SocketService' }],
  ['errors', 'toString', { from: 'alula/errors' }]
])('%s: %s is %o now', (name, exported, target) => {
  expect(resolve(`@feathersjs/${name}`, exported)).toEqual(target)
})

it.each([
  ['the core alone', ['feathers', 'memory'], false],
  ['REST', ['feathers', 'rest-client'], true],
  ['Socket.IO', ['socketio-client'], true],
  ['logins', ['authentication-client'], true],
  ['REST and Express', ['rest-client', 'express'], false],
  ['REST and Koa', ['rest-client', 'koa'], false],
  ['REST and Socket.IO', ['rest-client', 'socketio'], false]
])('with %s, that is %j, a file is that of a client: %j', (_, names, isClient) => {
  expect(isClientFile(names.map((name) => `@feathersjs/${name}`))).toBe(isClient)
})

it('the core of a client is that of alula/client', () => {
  const known = lookUp('@feathersjs/feathers', true) as { replacement: Replacement }

  expect(lookUp('@feathersjs/feathers/lib', true)).toEqual(known)
  expect(resolveName(known.replacement, 'default')).toEqual({ from: 'alula/client', name: 'feathers' })
  expect(resolveName(known.replacement, 'version')).toEqual({ from: 'alula' })
  expect(getReplacement('@feathersjs/errors', true).entry).toBe('alula/errors')
})

it.each([
  ['@a/b/c', '@a/b'],
  ['a/b', 'a'],
  ['a', 'a']
])('%s leads into the package %s', (specifier, name) => {
  expect(toPackageName(specifier)).toBe(name)
})

function getReplacement(specifier: string, isClient = false): Replacement {
  return (lookUp(specifier, isClient) as { replacement: Replacement }).replacement
}

function resolve(specifier: string, name: string) {
  return resolveName(getReplacement(specifier), name)
}

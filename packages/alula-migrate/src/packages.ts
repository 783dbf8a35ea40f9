// What each package of Feathers v5 has become: the one place where names of theirs meet names of ours.

/** Where a name lives now. */
export interface Target {
  /** The module to import from. */
  readonly from: string
  /** The name there, where it is another one; `'default'` for the default export. */
  readonly name?: string
}

/** A package that an entry of ours replaces. */
export interface Replacement {
  /** The entry that has every name that `moved` and `gone` do not list. */
  readonly entry: string
  /** The name in the entry of what the module itself was: its default export, and what `require` returned. */
  readonly main?: string
  /** Whether the entry has `main` as its default export too. */
  readonly hasDefault?: boolean
  /** Names that live elsewhere, or are called differently. */
  readonly moved?: { readonly [name: string]: Target }
  /** Names without a counterpart, and what to do about them. */
  readonly gone?: { readonly [name: string]: string }
  /** Whether what it did by being imported is always there now. */
  readonly isAlwaysThere?: boolean
  /** Functions for `app.configure` that did what every application does now. */
  readonly unneeded?: readonly string[]
}

const CORE: Target = { from: 'alula' }
const INSIDE = 'it is internal to Feathers v5'
const TYPES = 'its type is divided differently'
const COMPARE_ANY = 'use compareAny of alula/query, which has one order for all values'
const STEPS = 'alula/transport has the steps under other names'

/** The same for several names. */
function each<Value>(names: string, value: Value): { readonly [name: string]: Value } {
  return Object.fromEntries(names.split(' ').map((name) => [name, value]))
}

/** Everything of `@feathersjs/feathers` that clients do not need, and `alula/client` therefore does not have. */
const CORE_ONLY = each(
  'Feathers SERVICE createContext defaultEventMap defaultServiceArguments defaultServiceEvents defaultServiceMethods ' +
    'getServiceOptions normalizeServiceOptions version wrapService',
  CORE
)

const CORE_GONE = each(
  'FeathersHookManager collectHooks convertHookData enableHooks getHookMethods hookMixin protectedMethods',
  INSIDE
)

/** By the name of a package, or of an entry of one, what replaces it. */
export const REPLACEMENTS: { readonly [name: string]: Replacement } = {
  '@feathersjs/feathers': { entry: 'alula', main: 'feathers', gone: CORE_GONE },
  '@feathersjs/express': {
    entry: 'alula/express',
    main: 'express',
    hasDefault: true,
    moved: {
      compression: { from: 'compression', name: 'default' },
      cors: { from: 'cors', name: 'default' }
    },
    gone: { ...each('AuthenticationSettings ExpressOverrides', TYPES), query: 'Express 5 has none' }
  },
  '@feathersjs/koa': {
    entry: 'alula/koa',
    gone: each('ApplicationAddons AuthenticationSettings', TYPES)
  },
  '@feathersjs/socketio': { entry: 'alula/socketio', main: 'socketio' },
  '@feathersjs/errors': { entry: 'alula/errors', gone: each('DynamicError Errors', TYPES) },
  '@feathersjs/authentication': { entry: 'alula/authentication' },
  '@feathersjs/authentication-local': { entry: 'alula/authentication' },
  '@feathersjs/authentication-oauth': {
    entry: 'alula/oauth',
    gone: each('GrantResponse OAuthCallbackService OAuthError redirectHook', INSIDE)
  },
  '@feathersjs/authentication-client': {
    entry: 'alula/client',
    main: 'authentication',
    moved: { ClientConstructor: { from: 'alula/client', name: 'AuthenticationClientClass' } }
  },
  '@feathersjs/rest-client': {
    entry: 'alula/client',
    main: 'rest',
    moved: { Transport: { from: 'alula/client', name: 'RestTransports' } },
    gone: each('Handler RestService', TYPES)
  },
  '@feathersjs/socketio-client': { entry: 'alula/client', main: 'socketio' },
  '@feathersjs/client': { entry: 'alula/client', main: 'feathers', moved: CORE_ONLY, gone: CORE_GONE },
  '@feathersjs/memory': {
    entry: 'alula/memory',
    main: 'memory',
    moved: { MemoryServiceOptions: { from: 'alula/memory', name: 'MemoryOptions' } },
    gone: { MemoryServiceStore: TYPES }
  },
  '@feathersjs/adapter-commons': {
    entry: 'alula/adapter',
    moved: each('PaginationOptions PaginationParams', CORE),
    gone: {
      ...each('AdapterQuery FilterSettings QueryFilter', TYPES),
      ...each('compare compareArrays compareNSB', COMPARE_ANY),
      AdapterServiceOptions: 'use AdapterOptions of alula/adapter',
      InternalServiceMethods: 'use AdapterBase of alula/adapter'
    }
  },
  '@feathersjs/transport-commons': {
    entry: 'alula',
    isAlwaysThere: true,
    unneeded: ['channels', 'routing'],
    gone: {
      channels: 'every application has channels: remove the line that configures them',
      routing: 'every application has routes: remove the line that configures them',
      ...each('http socket', STEPS)
    }
  },
  '@feathersjs/transport-commons/client': {
    entry: 'alula/client',
    moved: { Service: { from: 'alula/client', name: 'SocketService' } }
  },
  '@feathersjs/commons': {
    entry: 'alula',
    gone: each(
      'DebugFunction DebugInitializer KeyValueCallback _ createSymbol isPromise noopDebug stripSlashes',
      INSIDE
    )
  }
}

/** In a file that connects to a server, the application is that of a client, whose type has the logins. */
const CLIENT_CORE = REPLACEMENTS['@feathersjs/client'] as Replacement

/**
 * Modules of a package whose names are those of the package, in `lib` and in `src`; for a default export, the name that it
 * has in the package.
 */
export const MODULES: { readonly [path: string]: string | undefined } = {
  ...each('declarations handlers rest authentication hooks core strategy jwt service', undefined),
  'hooks/authenticate': 'authenticate',
  'hooks/hash-password': 'hashPassword',
  'hooks/protect': 'protect'
}

/** Official packages that stay: they run on our applications as they are. */
const KEPT: readonly string[] =
  'adapter-tests cli configuration generators hooks knex mongodb schema tests typebox'.split(' ')

const CONNECTION = /^@feathersjs\/(?:authentication|rest|socketio)-client$/
const SERVER = /^@feathersjs\/(?:express|koa|socketio)$/

/** What is known of a module specifier. */
export type Known =
  | { readonly kind: 'replaced'; readonly replacement: Replacement }
  | { readonly kind: 'kept' }
  | { readonly kind: 'unknown'; readonly reason: string }

/**
 * Looks up the module specifier of an import; nothing for what is not of Feathers. `isClient`: whether its file connects to a
 * server; see {@link isClientFile}.
 */
export function lookUp(specifier: string, isClient = false): Known | undefined {
  if (!specifier.startsWith('@feathersjs/')) return undefined

  const [, name = '', module = ''] =
    /^(.+?)(?:\/(?:lib|src)(?:\/(.+?))?)?(?:\.[jt]s|\/)?$/.exec(specifier) ?? []
  const path = module.replace(/(?:^|\/)index$/, '')
  const packageName = toPackageName(specifier)

  if (KEPT.includes(packageName.slice('@feathersjs/'.length))) return { kind: 'kept' }
  if (Object.hasOwn(REPLACEMENTS, name) && (path === '' || Object.hasOwn(MODULES, path))) {
    const replacement =
      isClient && name === '@feathersjs/feathers' ? CLIENT_CORE : (REPLACEMENTS[name] as Replacement)
    const main = MODULES[path]

    return { kind: 'replaced', replacement: main === undefined ? replacement : { ...replacement, main } }
  }
  const reason = Object.hasOwn(REPLACEMENTS, packageName)
    ? `only ${packageName} has a counterpart, not the modules in it`
    : 'no counterpart of it is known'

  return { kind: 'unknown', reason }
}

/** Whether a file with these imports builds a client, and not a server that is one too. */
export function isClientFile(specifiers: readonly string[]): boolean {
  const has = (name: RegExp) => specifiers.some((specifier) => name.test(specifier))

  return has(CONNECTION) && !has(SERVER)
}

/**
 * Where a name, or `'default'`, that a package exported lives now; if there is no such name, a message that says what to do.
 */
export function resolveName(replacement: Replacement, name: string): Target | string {
  const { entry, main, hasDefault, moved = {}, gone = {} } = replacement

  if (Object.hasOwn(gone, name)) return gone[name] as string
  if (Object.hasOwn(moved, name)) return moved[name] as Target
  if (name !== 'default') return { from: entry }
  if (hasDefault) return { from: entry, name }

  return main === undefined ? 'the module has no default export' : { from: entry, name: main }
}

/** The name of the package that a module specifier leads into. */
export function toPackageName(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

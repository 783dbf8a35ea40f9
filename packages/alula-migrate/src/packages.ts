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
  /** Packages that the entry needs, and that came with the old package. */
  readonly peers?: readonly string[]
  /** Whether what it did by being imported is always there now. */
  readonly isAlwaysThere?: boolean
}

const CORE: Target = { from: 'alula' }
const INSIDE = 'it belongs to the inside of Feathers v5'
const TYPES = 'its type is cut differently'
const COMPARE_ANY = 'compareAny of alula/query stands in its place, with one order for everything'
const STEPS = 'alula/transport has the steps under other names'

/** Everything of `@feathersjs/feathers` that clients do not need, and `alula/client` therefore does not have. */
const CORE_ONLY = {
  Feathers: CORE,
  SERVICE: CORE,
  createContext: CORE,
  defaultEventMap: CORE,
  defaultServiceArguments: CORE,
  defaultServiceEvents: CORE,
  defaultServiceMethods: CORE,
  getServiceOptions: CORE,
  normalizeServiceOptions: CORE,
  version: CORE,
  wrapService: CORE
}

const CORE_GONE = {
  FeathersHookManager: INSIDE,
  collectHooks: INSIDE,
  convertHookData: INSIDE,
  enableHooks: INSIDE,
  getHookMethods: INSIDE,
  hookMixin: INSIDE,
  protectedMethods: INSIDE
}

/** By the name of a package, or of an entry inside of one, what replaces it. */
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
    gone: { AuthenticationSettings: TYPES, ExpressOverrides: TYPES, query: 'Express 5 has none' }
  },
  '@feathersjs/koa': {
    entry: 'alula/koa',
    gone: { ApplicationAddons: TYPES, AuthenticationSettings: TYPES },
    peers: ['koa', 'koa-body', '@koa/cors', 'koa-static']
  },
  '@feathersjs/socketio': { entry: 'alula/socketio', main: 'socketio', peers: ['socket.io'] },
  '@feathersjs/errors': { entry: 'alula/errors', gone: { DynamicError: TYPES, Errors: TYPES } },
  '@feathersjs/authentication': { entry: 'alula/authentication' },
  '@feathersjs/authentication-local': { entry: 'alula/authentication' },
  '@feathersjs/authentication-oauth': {
    entry: 'alula/oauth',
    peers: ['openid-client']
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
    gone: { Handler: TYPES, RestService: TYPES }
  },
  '@feathersjs/socketio-client': { entry: 'alula/client', main: 'socketio', peers: ['socket.io-client'] },
  '@feathersjs/client': { entry: 'alula/client', main: 'feathers', moved: CORE_ONLY, gone: CORE_GONE },
  '@feathersjs/memory': {
    entry: 'alula/memory',
    main: 'memory',
    moved: { MemoryServiceOptions: { from: 'alula/memory', name: 'MemoryOptions' } },
    gone: { MemoryServiceStore: TYPES }
  },
  '@feathersjs/adapter-commons': {
    entry: 'alula/adapter',
    moved: { PaginationOptions: CORE, PaginationParams: CORE },
    gone: {
      AdapterQuery: TYPES,
      AdapterServiceOptions: 'AdapterOptions of alula/adapter stands in its place',
      FilterSettings: TYPES,
      InternalServiceMethods: 'AdapterMethods of alula/adapter stands in its place',
      QueryFilter: TYPES,
      compare: COMPARE_ANY,
      compareArrays: COMPARE_ANY,
      compareNSB: COMPARE_ANY
    }
  },
  '@feathersjs/transport-commons': {
    entry: 'alula',
    isAlwaysThere: true,
    gone: {
      channels: 'every application has channels: take the line that configures them away',
      http: STEPS,
      routing: 'every application has routes: take the line that configures them away',
      socket: STEPS
    }
  },
  '@feathersjs/transport-commons/client': {
    entry: 'alula/client',
    moved: { Service: { from: 'alula/client', name: 'SocketService' } }
  },
  '@feathersjs/commons': {
    entry: 'alula',
    gone: {
      DebugFunction: INSIDE,
      DebugInitializer: INSIDE,
      KeyValueCallback: INSIDE,
      _: INSIDE,
      createSymbol: INSIDE,
      isPromise: INSIDE,
      noopDebug: INSIDE,
      stripSlashes: INSIDE
    }
  }
}

/** In a file that connects to a server, the application is that of a client, whose type has the logins. */
const CLIENT_CORE: Replacement = {
  entry: 'alula/client',
  main: 'feathers',
  moved: CORE_ONLY,
  gone: CORE_GONE
}

/** Official packages that stay: they run on our applications as they are. */
const KEPT: ReadonlySet<string> = new Set(
  [
    'adapter-tests',
    'cli',
    'configuration',
    'generators',
    'hooks',
    'knex',
    'mongodb',
    'schema',
    'tests',
    'typebox'
  ].map((name) => `@feathersjs/${name}`)
)

const CONNECTIONS = ['authentication-client', 'rest-client', 'socketio-client']
const SERVERS = ['express', 'koa', 'socketio']

/** What is known of a module specifier. */
export type Known =
  | { readonly kind: 'replaced'; readonly replacement: Replacement }
  | { readonly kind: 'kept' }
  | { readonly kind: 'unknown'; readonly reason: string }

/**
 * Looks a module specifier up.
 *
 * @param specifier What a file imports from
 * @param isClient Whether that file connects to a server; see {@link isClientFile}
 * @returns Nothing for what is not of Feathers
 */
export function lookUp(specifier: string, isClient = false): Known | undefined {
  if (!specifier.startsWith('@feathersjs/')) return undefined

  const name = specifier.replace(/\/lib(?:\/(?:index|declarations)(?:\.js)?)?$/, '')
  const packageName = toPackageName(specifier)

  if (isClient && name === '@feathersjs/feathers') return { kind: 'replaced', replacement: CLIENT_CORE }
  if (Object.hasOwn(REPLACEMENTS, name)) {
    return { kind: 'replaced', replacement: REPLACEMENTS[name] as Replacement }
  }
  if (KEPT.has(packageName)) return { kind: 'kept' }
  if (Object.hasOwn(REPLACEMENTS, packageName)) {
    return {
      kind: 'unknown',
      reason: `only ${packageName} itself has a counterpart, not what is inside of it`
    }
  }

  return { kind: 'unknown', reason: 'no counterpart of it is known' }
}

/**
 * Whether a file with these imports builds a client, and not a server that is one too.
 *
 * @param specifiers Everything that the file imports from
 */
export function isClientFile(specifiers: readonly string[]): boolean {
  const has = (names: readonly string[]) => names.some((name) => specifiers.includes(`@feathersjs/${name}`))

  return has(CONNECTIONS) && !has(SERVERS)
}

/**
 * Where an exported name lives now.
 *
 * @param replacement The package that exported it
 * @param name The name, or `'default'`
 * @returns A message that says what to do if there is no such name
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

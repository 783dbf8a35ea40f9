import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, it } from 'vitest'

const SRC = resolve(import.meta.dirname, '../src')

/** The floors of the house, the lowest first. A module imports from lower floors only, types included. */
const FLOORS: readonly (readonly string[])[] = [
  ['utils'],
  ['errors'],
  ['hooks', 'query'],
  ['core'],
  ['authentication-hooks'],
  ['transport', 'adapter', 'authentication', 'client'],
  ['node'],
  ['express', 'koa', 'fetch', 'socketio', 'sync', 'oauth', 'memory', 'kysely', 'adapter-tests', 'migrate'],
  ['testing']
]

/** Inside a folder a file imports only from those that stand before it. */
const ORDER: { [folder: string]: readonly string[] } = {
  utils: [
    'object',
    'check',
    'path',
    'nearest',
    'cookie',
    'bounded-map',
    'silent',
    'debug',
    'deferral',
    'keyed-mutex',
    'deprecate',
    'within',
    'peer'
  ],
  hooks: ['types', 'compose', 'phase', 'pipeline', 'registry', 'context', 'interop', 'method'],
  query: [
    'ast',
    'operators',
    'parse',
    'coerce',
    'compare',
    'field',
    'predicate',
    'like',
    'comparator',
    'select'
  ],
  core: [
    'router',
    'channel',
    'types',
    'methods',
    'service',
    'events',
    'publish',
    'hooks',
    'register',
    'call',
    'application'
  ],
  'authentication-hooks': ['authenticate', 'connection', 'event', 'hash-password', 'protect'],
  authentication: [
    'revocation',
    'types',
    'schema',
    'options',
    'sessions',
    'settings',
    'tokens',
    'verified',
    'credentials',
    'dispatch',
    'base',
    'strategy',
    'hasher',
    'timers',
    'jwt',
    'local',
    'service'
  ],
  transport: [
    'querystring',
    'error',
    'body',
    'authentication',
    'http',
    'proxies',
    'encode',
    'cors',
    'options',
    'origin',
    'precondition',
    'mount',
    'setup-check',
    'handler',
    'deprecated',
    'socket'
  ],
  client: [
    'query',
    'error',
    'route',
    'service',
    'http',
    'fetch',
    'axios',
    'superagent',
    'rest',
    'socket',
    'socketio',
    'storage',
    'location',
    'authentication-client',
    'hooks',
    'authentication',
    'application',
    'client-services'
  ],
  adapter: ['options', 'query', 'base', 'methods'],
  'adapter-tests': [
    'types',
    'fields',
    'copy',
    'assert',
    'rule',
    'setup',
    'basics',
    'read',
    'create',
    'update',
    'patch',
    'remove',
    'multi',
    'page',
    'select',
    'sort',
    'operators',
    'values',
    'malformed',
    'ids',
    'isolation',
    'races',
    'random',
    'calls',
    'differential',
    'suite'
  ],
  express: ['query', 'request', 'send', 'handlers', 'authentication', 'rest', 'server', 'application'],
  koa: ['context', 'peers', 'request', 'handlers', 'send', 'authentication', 'rest', 'application'],
  fetch: ['handler'],
  node: [
    'graft',
    'reachable',
    'parser-errors',
    'read',
    'request',
    'send',
    'shutdown',
    'pipelining',
    'listen',
    'listener'
  ],
  socketio: ['running', 'bytes', 'attachment', 'traffic', 'connections', 'transport', 'server'],
  sync: [
    'codec',
    'message',
    'connection',
    'availability',
    'stream',
    'readers',
    'outbox',
    'inbox',
    'revocation',
    'link',
    'sync'
  ],
  oauth: [
    'types',
    'seal',
    'code',
    'redirect',
    'providers',
    'options',
    'failure',
    'connection',
    'flow',
    'strategy',
    'session',
    'pending',
    'setup',
    'login',
    'service',
    'configure'
  ],
  testing: ['client'],
  memory: ['clone', 'field-index', 'records', 'page', 'adapter'],
  kysely: [
    'table',
    'dialect',
    'sql-states',
    'values',
    'like-pattern',
    'field',
    'json',
    'dialects/sqlite',
    'dialects/postgres',
    'dialects/mysql',
    'databases',
    'kinds',
    'logic',
    'pattern',
    'comparison',
    'where',
    'order',
    'errors',
    'warnings',
    'savepoint',
    'atomic',
    'connection',
    'lend',
    'transaction',
    'outside',
    'instance',
    'with-transaction',
    'hooks',
    'options',
    'session',
    'read',
    'write',
    'insert',
    'adapter'
  ],
  migrate: [
    'packages',
    'edit',
    'rewritten',
    'lexer',
    'json',
    'references',
    'uses',
    'render',
    'rewrite',
    'manifest',
    'compiler-options',
    'files',
    'migrate',
    'report',
    'command',
    'cli'
  ]
}

/** These run in a browser: nothing that they reach may import from Node. */
const PORTABLE = ['index', 'errors', 'hooks', 'query', 'adapter', 'memory', 'fetch', 'client']

/** What Node and browsers both have, or a package provides under the same name. */
const NODE_MODULE = /^node:/

interface Module {
  /** Without `src/` and without the extension: `core/router`. */
  readonly name: string
  readonly imports: readonly string[]
  /** Packages, and modules of Node. */
  readonly packages: readonly string[]
}

const modules: readonly Module[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readModule(file))

function readModule(file: string): Module {
  const source = readFileSync(join(SRC, file), 'utf8')
  const targets = [
    ...source.matchAll(/^(?:import|export)\s[^'"]*?from\s+'([^']+)'|^import\s+'([^']+)'/gm)
  ].map((match) => (match[1] ?? match[2]) as string)

  return {
    name: toName(file),
    imports: targets
      .filter((target) => target.startsWith('.'))
      .map((target) => toName(relative(SRC, resolve(SRC, dirname(file), target)))),
    packages: targets.filter((target) => !target.startsWith('.'))
  }
}

function toName(file: string): string {
  return file.slice(0, -'.ts'.length)
}

/**
 * The folder of a module; a file of its own at the top is a floor of its own, or an entry. A folder in a folder that has
 * no floor is part of that one.
 */
function folderOf(name: string): string {
  if (!name.includes('/')) return name

  const folder = dirname(name)

  return folder.includes('/') && !FLOORS.flat().includes(folder) ? folderOf(folder) : folder
}

function floorOf(name: string): number {
  const isEntry = !name.includes('/') && name !== 'errors'

  return isEntry ? FLOORS.length : FLOORS.findIndex((floor) => floor.includes(folderOf(name)))
}

function allowed(from: string, to: string): boolean {
  const folder = folderOf(from)

  if (from.includes('/') && folder === folderOf(to)) {
    const order = ORDER[folder] ?? []
    const position = (name: string) => order.indexOf(name.slice(folder.length + 1))

    return position(to) !== -1 && position(to) < position(from)
  }

  return floorOf(to) < floorOf(from)
}

it('every module stands on a floor', () => {
  const homeless = modules.filter(({ name }) => floorOf(name) === -1)

  expect(homeless.map(({ name }) => name)).toEqual([])
})

it('arrows point down', () => {
  const upward = modules.flatMap((module) =>
    module.imports
      .filter((target) => !allowed(module.name, target))
      .map((target) => `${module.name} → ${target}`)
  )

  expect(upward).toEqual([])
})

it('the lists of files are complete', () => {
  for (const [folder, order] of Object.entries(ORDER)) {
    const files = modules
      .filter(({ name }) => name.includes('/') && folderOf(name) === folder)
      .map(({ name }) => name.slice(folder.length + 1))

    expect([...order].sort(), folder).toEqual(files.sort())
  }
})

it('what runs in a browser imports nothing of Node', () => {
  const byName = new Map(modules.map((module) => [module.name, module]))

  for (const entry of PORTABLE) {
    const reached = new Set([entry])

    for (const name of reached) {
      for (const target of (byName.get(name) as Module).imports) reached.add(target)
    }

    const offending = [...reached].filter((name) =>
      byName.get(name)?.packages.some((target) => NODE_MODULE.test(target))
    )

    expect(offending, entry).toEqual([])
  }
})

it('adapters take only types from core, so that they run without an application', () => {
  const sources = modules.filter(
    ({ name }) => ['adapter', 'memory'].includes(folderOf(name)) && name.includes('/')
  )
  const offending = sources.filter(({ name }) =>
    /^(?:import|export) (?!type\b)[^'"]*?from '\.\.\/core\//m.test(
      readFileSync(join(SRC, `${name}.ts`), 'utf8')
    )
  )

  expect(offending.map(({ name }) => name)).toEqual([])
})

it('a database is a file: nothing but its dialect asks which one it is', () => {
  const outside = modules.filter(
    ({ name }) => name.startsWith('kysely/') && !name.startsWith('kysely/dialects/')
  )
  const asking = outside.filter(({ name }) => {
    const code = readFileSync(join(SRC, `${name}.ts`), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')

    return /['"`](?:sqlite|postgres(?:ql)?|mysql|mariadb)['"`]|dialect\.name\b/i.test(code)
  })

  expect(asking.map(({ name }) => name)).toEqual([])
})

it('every entry of the package is a file at the top of src, and the other way round', () => {
  const { exports } = JSON.parse(readFileSync(resolve(SRC, '../package.json'), 'utf8'))
  const entries = readdirSync(SRC).filter((file) => file.endsWith('.ts'))
  const expected = Object.fromEntries(
    entries.map((file) => {
      const name = file.slice(0, -3)
      const target = { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` }

      return [name === 'index' ? '.' : `./${name}`, target]
    })
  )

  expect(exports).toEqual({ ...expected, './package.json': './package.json' })
})

import { readVersion } from './alula.ts'
import { JsonText } from './json.ts'
import { lookUp, REPLACEMENTS } from './packages.ts'
import { type Anchor, type Change, type Remark, type Rewritten, unchanged } from './rewritten.ts'
import { isBefore } from './versions.ts'

/** What `package.json` has to follow. */
export interface ManifestOptions {
  /** Packages that the sources load now, and modules of packages. */
  readonly packages: ReadonlySet<string>
  /** Whether there is TypeScript. */
  readonly isTyped: boolean
  /** Whether a package below is moved that is in TypeScript. */
  readonly isTypedBelow?: boolean
  /** The version of a package in the lock file. */
  readonly locked?: (name: string) => string | undefined
}

const SECTIONS = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']

/** Packages that came with those that go: the range, what each came with, and the range of its types if it has none. */
type Companion = readonly [range: string, cameWith: string, types?: string]

/** Those that entries of alula need, in the ranges of its optional peers, which `test/alula.test.ts` compares. */
export const PEERS: { readonly [name: string]: Companion } = {
  '@koa/cors': ['^5.0.0', 'koa', '^5.0.0'],
  koa: ['^3.0.0', 'koa', '^3.0.0'],
  'koa-body': ['^8.0.0', 'koa'],
  'koa-static': ['^5.0.0', 'koa', '^4.0.4'],
  'openid-client': ['^6.8.0', 'authentication-oauth'],
  'socket.io': ['^4.8.0', 'socketio'],
  'socket.io-client': ['^4.8.0', 'socketio-client']
}

/** Those that sources may import without listing them. */
export const COMPANIONS: { readonly [name: string]: Companion } = {
  ...PEERS,
  bcryptjs: ['^3.0.3', 'authentication-local'],
  compression: ['^1.8.1', 'express', '^1.8.1'],
  cors: ['^2.8.5', 'express', '^2.8.19'],
  debug: ['^4.4.3', 'commons', '^4.1.12'],
  events: ['^3.3.0', 'feathers'],
  express: ['^5.1.0', 'express', '^5.0.0'],
  jsonwebtoken: ['^9.0.2', 'authentication', '^9.0.10'],
  'koa-compose': ['^4.1.0', 'koa', '^3.2.8'],
  lodash: ['^4.17.21', 'authentication', '^4.17.20'],
  qs: ['^6.14.0', 'rest-client', '^6.14.0'],
  uuid: ['^11.1.0', 'authentication']
}

/** The lowest version of a package, and the range that is written for an older one. */
type Lowest = readonly [name: string, lowest: string, range: string]

const COMPILERS: readonly Lowest[] = [
  ['typescript', '5.8.0', '^5.9.3'],
  ['@types/node', '20.0.0', '^20.19.0']
]
const STAYING: readonly Lowest[] = [['@feathersjs/mongodb', '5.0.26', '^5.0.50']]

/** A change of one list of dependencies; without a range, a package is taken away. */
interface Planned {
  readonly section: string
  readonly name: string
  readonly range?: string
}

type Listed = ReadonlyMap<string, { readonly section: string; readonly range: string }>

/** Replaces the packages of Feathers in a `package.json`. */
export function rewriteManifest(source: string, options: ManifestOptions): Rewritten {
  const json = new JsonText(source)

  if (!json.root) {
    const text = "is not an object in JSON, and stays as it is: list 'alula' in it"

    return unchanged(source, options.packages.has('alula') ? text : undefined)
  }

  const listed = listDependencies(json)
  const planned = [...planChanges(listed, options), ...planVersions(listed, options)]
  const changes = planned.map((one) => describeChange(one, json, listed))
  const remarks = [...findRemarks(listed, options)].map(([name, text, anchor]): Remark => {
    return { line: json.lineOf(listed.get(name)?.section as string, name), text, anchor }
  })

  for (const { section, name, range } of planned) json.set([section, name], range, true)

  return { ...unchanged(json.text), changes, remarks }
}

/** The packages that a `package.json` lists, with the section and the range of each. */
export function listDependencies(json: JsonText): Map<string, { section: string; range: string }> {
  const listed = new Map<string, { section: string; range: string }>()

  for (const section of [...SECTIONS].reverse()) {
    for (const [name, { value }] of json.entries(section)) listed.set(name, { section, range: String(value) })
  }

  return listed
}

/** Says why a project is not moved, for one that is on a pre-release of Feathers v5. */
export function refusePreRelease(listed: Listed): string | undefined {
  for (const [name, { range }] of listed) {
    if (!name.startsWith('@feathersjs/') || !/\b5\.0\.0-[a-z]/.test(range)) continue

    return (
      `lists ${name} ${range}, a pre-release of Feathers v5, whose names are others. ` +
      'Set its packages to ^5.0.0, let your tests pass, and run alula-migrate again'
    )
  }

  return undefined
}

function planChanges(listed: Listed, { packages, isTyped, locked }: ManifestOptions): readonly Planned[] {
  const isMoved = packages.has('alula')
  const planned: Planned[] = []
  const add = (section: string, name: string, range: string): void => {
    if (!listed.has(name) && planned.every((one) => one.name !== name)) planned.push({ section, name, range })
  }
  const addTypes = (name: string): void => {
    const types = COMPANIONS[name]?.[2]

    if (isTyped && types) add('devDependencies', `@types/${name.replace(/^@(.+)\//, '$1__')}`, types)
  }

  for (const [name, { entry }] of Object.entries(REPLACEMENTS)) {
    const section = listed.get(name)?.section

    if (!section) continue

    for (const [peer, [range, owner]] of Object.entries(PEERS)) {
      if (packages.has(entry) && name === `@feathersjs/${owner}`) add(section, peer, range)
    }
    if (packages.has(name)) continue

    planned.push({ section, name })
    // Those of Express and Koa came with the package that goes.
    addTypes(name.slice('@feathersjs/'.length))
  }

  const wasRuntime = planned.some(({ section }) => section !== 'devDependencies')
  const alula = listed.get('alula')

  if (isMoved) {
    add(wasRuntime || planned.length === 0 ? 'dependencies' : 'devDependencies', 'alula', `^${readVersion()}`)
  }
  // It was installed for this command, and what runs needs it now.
  if (wasRuntime && alula?.section === 'devDependencies') {
    planned.push({ section: 'devDependencies', name: 'alula' })
    planned.push({ section: 'dependencies', name: 'alula', range: alula.range })
  }
  for (const name of isMoved ? packages : []) {
    const [range] = COMPANIONS[name] ?? []
    const isStaying = lookUp(name)?.kind === 'kept'
    const version = PEERS[name] || name === 'express' ? undefined : locked?.(name)

    if (range !== undefined || isStaying) {
      const section = wasRuntime || !isStaying ? 'dependencies' : 'devDependencies'

      add(section, name, version === undefined ? (range ?? '^5.0.50') : `^${version}`)
    }
    addTypes(name)
  }

  return planned
}

/** Versions that are too old for alula, where the range or the lock file allows no newer one. */
function planVersions(listed: Listed, options: ManifestOptions): readonly Planned[] {
  const { packages, isTyped, isTypedBelow, locked } = options
  const isMoved = packages.has('alula')
  const compilers = (isMoved && isTyped) || isTypedBelow ? COMPILERS : []

  return [...compilers, ...(isMoved ? STAYING : [])].flatMap(([name, lowest, range]) => {
    const { section = name === '@types/node' && 'devDependencies', range: own } = listed.get(name) ?? {}
    // A lock file keeps its version as long as the range allows it.
    const isOld = isBefore(own, lowest) !== false && isBefore(locked?.(name) ?? own, lowest)

    return section && isOld ? [{ section, name, range }] : []
  })
}

/** Remarks by the package that they are about. */
function* findRemarks(
  listed: Listed,
  { packages, locked }: ManifestOptions
): Generator<readonly [name: string, text: string, anchor: Anchor]> {
  const feathers = listed.get('@feathersjs/feathers')?.range
  const knex = listed.get('knex')?.range

  if (isBefore(feathers, '5.0.0')) {
    yield ['@feathersjs/feathers', `this is Feathers ${feathers}: move to Feathers v5 first`, 'steps']
  }
  for (const name of ['express', '@types/express']) {
    if (isBefore(listed.get(name)?.range, '5.0.0')) {
      yield [name, `'${name}' is of Express 4, alula has Express 5`, 'express-5']
    }
  }
  if (listed.has('jest')) yield ['jest', 'Jest needs a setting that transforms alula', 'jest']
  if (packages.has('alula') && listed.has('@feathersjs/knex') && isBefore(knex, '3.3.0')) {
    const needs = `'@feathersjs/knex' 5.0.50 needs knex 3.3 or later`

    yield ['knex', `${needs}, and this is ${locked?.('knex') ?? knex}`, 'packages-that-stay']
  }
}

function describeChange({ section, name, range }: Planned, json: JsonText, listed: Listed): Change {
  const before = listed.get(name)
  const line = json.lineOf(before?.section ?? section, name)
  const owner = `@feathersjs/${COMPANIONS[name]?.[1]}`
  const came = listed.has(owner) ? `, which came with ${owner}` : ''
  const origin = lookUp(name) ? ', which is imported and was not listed' : came

  if (range === undefined) return { line, text: `${section}: − ${name}` }
  if (before?.section === section) return { line, text: `${section}: ${name} ${before.range} → ${range}` }

  return { line, text: `${section}: + ${name}@${range}${origin}` }
}

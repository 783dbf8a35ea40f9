import { describe, expect, it } from 'vitest'
import { findModuleState } from '../scripts/support/module-state.mjs'
import { parseSource, readSources } from '../scripts/support/sources.mjs'

/**
 * What belongs to the process, and why; what belongs to an application, a service or a server is kept on that. The list
 * may only become shorter.
 */
const ALLOWED: { readonly [file: string]: { readonly [name: string]: string } } = {
  'src/kysely/databases.ts': {
    databases: 'instances of Kysely and their transactions share an adapter, which is not ours'
  },
  'src/kysely/transaction.ts': {
    current: 'the transaction that asynchronous code runs in; it has no value outside of one',
    currentCall: 'the call whose hooks begin and end a transaction; it has no value outside of one'
  },
  'src/utils/debug.ts': {
    initialize: 'setDebug concerns all applications, as in Feathers v5'
  },
  'src/utils/deferral.ts': {
    deferral: 'a transaction holds back events of all applications that a call goes through'
  }
}

/** The names of the state in a module, and in one that imports it. */
function find(module: string, importing = ''): readonly string[] {
  const sources = [
    parseSource('src/core/module.ts', module),
    parseSource('src/core/importing.tsx', importing)
  ]

  return findModuleState(sources).map(({ name }) => name)
}

it('modules keep no state but what belongs to the process', () => {
  const found = findModuleState(readSources()).map(({ file, name }) => `${file}: ${name}`)
  const allowed = Object.entries(ALLOWED).flatMap(([file, names]) =>
    Object.keys(names).map((name) => `${file}: ${name}`)
  )

  expect(found.sort()).toEqual(allowed.sort())
})

describe('the search for state', () => {
  it.each([
    'let state = 1',
    'export var state: number',
    'const state = new Map()',
    'const state: Map<string, number> = new Map()',
    'const state: ReadonlyMap<string, number> = new Set()',
    'const state = new Set([1])',
    'const state = new WeakMap<object, number>()',
    'export const state = new WeakSet()',
    'const state = new BoundedMap<string, number>(10)',
    'const state = new AsyncLocalStorage()',
    'const state = { calls: new Map() }',
    'const state = Object.freeze([new Set()])',
    'const state = wrap(new Map())',
    'const state = create(); function create() { return new Map() }',
    'const state = create(); function create(size) { if (size) { return size > 1 ? [] : new Map() } }',
    'const state = []; export function add(value) { state.push(value) }',
    'const state: Record<string, number> = {}; export function set(name) { state[name] = 1 }',
    'const state = { calls: 0 }; export function count() { state.calls++ }',
    'const state = { calls: 0 }; export function count() { state.calls += 1 }',
    'const state = { list: [] }; export function sort() { (state.list as number[]).sort() }',
    'const state = {}; export function set(values) { Object.assign(state, values) }',
    'const state = { call: 1 }; export function clear() { delete state.call }',
    'export class Service { static state = 1 }',
    'export class Service { static readonly state = new Map() }'
  ])('finds %s', (module) => {
    expect(find(module)).toEqual(['state'])
  })

  it('finds a constant that another module changes', () => {
    const module = 'export const state = { calls: 0 }'

    expect(find(module, "import { state } from './module.ts'; state.calls++")).toEqual(['state'])
    expect(find(module, "import { state as other } from './module.ts'; other.calls++")).toEqual(['state'])
  })

  it.each([
    'const NAMES: ReadonlySet<string> = new Set()',
    'const NAMES: ReadonlyMap<string, number> = new Map([["a", 1]])',
    'type Names = ReadonlySet<string>; const NAMES: Names = new Set()',
    'const NAMES = ["a", "b"]; export function isName(name) { return NAMES.includes(name) }',
    'const NAMES = { a: 1 } as const',
    'const FOLDER = new URL(".", import.meta.url)',
    'const create = () => new Map()',
    'const NAMES: ReadonlySet<string> = list(); function list() { return new Set() }',
    'const name = get(); function get() { const get = () => { return new Map() }; return "a" }',
    'const address = get(); function get() { return new URL("a:b") }',
    'export function count() { let calls = 0; const seen = new Set(); seen.add(calls++) }',
    'const names = []; export function list() { const names = []; names.push(1); return names }',
    'export class Service { static create() { return new Map() } }'
  ])('passes %s', (module) => {
    expect(find(module)).toEqual([])
  })
})

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, it } from 'vitest'

// What a bundler makes of the client for a browser. It fails for a module of Node.

const ROOT = resolve(import.meta.dirname, '../..')

/** The parts of the library that belong into a browser. */
const PARTS =
  /^(?:src\/(?:client|core|errors|hooks|log\/position|query|utils)(?:\/|\.ts$)|dist\/utils\/silent\.js$)/

const CONNECT_REST = "rest('https://example.org').fetch(fetch)"

/** The sizes that docs/client.md names, in kB: minified, and zipped too. Of Feathers v5 and of ours. */
const NAMED = readFileSync(resolve(ROOT, 'docs/client.md'), 'utf8')

/**
 * The same programs of our library and of Feathers v5; how large ours may be in parts of the other, and how many bytes it
 * may have when it is zipped.
 */
const programs: { [name: string]: { ours: string; theirs: string; share: number; budget: number } } = {
  REST: {
    ours: `
      import { alula, rest } from './src/client.ts'
      alula().configure(${CONNECT_REST})`,
    theirs: `
      import { feathers } from '@feathersjs/feathers'
      import rest from '@feathersjs/rest-client'
      feathers().configure(${CONNECT_REST})`,
    share: 0.675,
    budget: 19_100
  },
  'REST and authentication': {
    ours: `
      import { alula, authentication, rest } from './src/client.ts'
      alula().configure(${CONNECT_REST}).configure(authentication())`,
    theirs: `
      import { feathers } from '@feathersjs/feathers'
      import rest from '@feathersjs/rest-client'
      import authentication from '@feathersjs/authentication-client'
      feathers().configure(${CONNECT_REST}).configure(authentication())`,
    share: 0.805,
    budget: 24_060
  },
  'Socket.IO': {
    ours: `
      import { alula, socketio } from './src/client.ts'
      alula().configure(socketio(window.socket))`,
    theirs: `
      import { feathers } from '@feathersjs/feathers'
      import socketio from '@feathersjs/socketio-client'
      feathers().configure(socketio(window.socket))`,
    share: 1.64,
    budget: 18_800
  }
}

async function bundle(program: string) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: program, resolveDir: ROOT, loader: 'ts' },
    absWorkingDir: ROOT,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    minify: true,
    metafile: true,
    write: false,
    logLevel: 'silent'
  })
  const [output] = Object.values(metafile.outputs)
  const bytes = Object.entries(output?.inputs ?? {}).map(
    ([input, { bytesInOutput }]) => [input, bytesInOutput] as const
  )

  return {
    inputs: Object.keys(metafile.inputs),
    size: (outputFiles[0] as (typeof outputFiles)[number]).contents.length,
    zipped: gzipSync((outputFiles[0] as (typeof outputFiles)[number]).contents).length,
    bytesOf: (part: RegExp) =>
      bytes.filter(([input]) => part.test(input)).reduce((sum, [, length]) => sum + length, 0)
  }
}

/** The program with what is published, whose files hold several modules. */
function toPackaged(program: string): string {
  return program.replace('./src/client.ts', './dist/client.js')
}

/** Packages, and what they depend on. */
function withDependencies(names: readonly string[]): string[] {
  const all = new Set(names)

  for (const name of all) {
    const manifest = readFileSync(resolve(ROOT, 'node_modules', name, 'package.json'), 'utf8')

    for (const dependency of Object.keys(JSON.parse(manifest).dependencies ?? {})) all.add(dependency)
  }

  return [...all]
}

it('the client holds nothing of a server', async () => {
  const { inputs } = await bundle("export * from './src/client.ts'")
  const packages = withDependencies(['events'])
  const offending = inputs.filter((input) => {
    // What a package replaces in browsers by nothing is marked.
    const name = /^(?:\(disabled\):)?node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1]

    return name === undefined
      ? !PARTS.test(input) && !['<stdin>', 'src/client.ts'].includes(input)
      : !packages.includes(name)
  })

  expect(offending).toEqual([])
  expect(inputs).toContain('src/client/rest.ts')
})

it.each(Object.entries(programs))(
  '%s takes as little code as it did, compared with Feathers v5',
  async (name, { ours, theirs, share, budget }) => {
    const [bundled, official] = [await bundle(toPackaged(ours)), await bundle(theirs)]
    const [, ...named] =
      new RegExp(`\\| ${name}[^|]*\\| ([\\d.]+), ([\\d.]+) \\| ([\\d.]+), ([\\d.]+) \\|`).exec(NAMED) ?? []
    const sizes = [official, bundled].flatMap(({ size, zipped }) => [size / 1000, zipped / 1000])

    expect(named).toHaveLength(sizes.length)
    // A change of a few bytes leaves the page as it is.
    for (const [index, size] of sizes.entries())
      expect(Math.abs(Number(named[index]) - size)).toBeLessThan(0.3)

    expect(bundled.size / official.size).toBeLessThan(share)
    expect(bundled.zipped).toBeLessThan(budget)
  }
)

it('live lists take as little code as they did', async () => {
  const program = `
    import { alula, live, socketio } from './src/client.ts'
    alula().configure(socketio(window.socket)).configure(live())`
  const { zipped } = await bundle(toPackaged(program))

  expect(zipped).toBeLessThan(27_250)
})

it.each([
  ['events', 20_750],
  ['sharedEvents', 22_040]
])('%s() takes as little code as it did', async (name, budget) => {
  const program = `
    import { alula, ${name}, rest } from './src/client.ts'
    alula().configure(${CONNECT_REST}).configure(${name}())`
  const { zipped } = await bundle(toPackaged(program))

  expect(zipped).toBeLessThan(budget)
})

it.each([
  ['adapter', 11_590],
  ['hooks', 5_630],
  ['memory', 17_020]
])('alula/%s, which browsers can use too, brings no server with it', async (entry, budget) => {
  const { zipped } = await bundle(`export * from './dist/${entry}.js'`)

  expect(zipped).toBeLessThan(budget)
})

it('who does without authentication, sockets or live lists does not carry them', async () => {
  const { REST } = programs

  expect(
    (await bundle((REST as (typeof programs)[string]).ours)).bytesOf(
      /authentication|socket|storage|client\/live|src\/query|src\/log/
    )
  ).toBe(0)
})

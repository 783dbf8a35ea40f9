// Bundles `src` into `dist`: one file for each entry of package.json, and chunks of what entries share, so that a process
// which starts reads ten to forty files in place of two hundred. What two entries share is in one chunk: there is one copy.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CHUNKS = join(ROOT, 'dist/chunks')

/** Modules in chunks of their own. This one imports a package, which bundles of the others would have with it. */
const APART = ['src/core/emitter.ts']

const ROOT_ENTRY = 'src/index.ts'

/** Entries of which browsers load no more than they use. */
const IN_BROWSERS = ['adapter', 'client', 'errors', 'hooks', 'memory', 'query', 'schema'].map(
  (name) => `src/${name}.ts`
)

/** How many entries are many. */
const MANY = 5

/** An import for what a chunk does when it is loaded. None does anything, as `sideEffects` of package.json says. */
const BARE_IMPORT = /^import "[^"]+";\n/gm

const { exports, imports, bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const ENTRIES = [...listFiles({ exports, imports, bin }).map(toSource), ...APART]

const { metafile } = await bundle([])
const { outputFiles } = await bundle([importTogether(listCore(metafile))])

rmSync(CHUNKS, { recursive: true, force: true })

for (const { path, text } of outputFiles) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text.replace(BARE_IMPORT, ''))
}

function bundle(plugins) {
  return build({
    absWorkingDir: ROOT,
    entryPoints: ENTRIES,
    outbase: 'src',
    outdir: 'dist',
    chunkNames: 'chunks/[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    external: Object.keys(imports),
    // The paths in tsconfig.json are for tests.
    tsconfigRaw: {},
    metafile: true,
    plugins,
    write: false,
    logLevel: 'warning',
    logOverride: { 'ignored-bare-import': 'silent' }
  })
}

/**
 * What each application has loaded, and what many entries share and imports no package, both without what browsers load too; and
 * the entries that have a part of it.
 */
function listCore({ inputs, outputs }) {
  const byEntry = new Map(ENTRIES.map((entry) => [entry, new Set(listModules(outputs, entry))]))
  const light = new Set([...IN_BROWSERS, ...APART].flatMap((entry) => [...byEntry.get(entry)]))
  const isPlain = (module) => inputs[module].imports.every(({ external }) => !external)
  const isShared = (module) => [...byEntry.values()].filter((modules) => modules.has(module)).length >= MANY
  const core = Object.keys(inputs).filter(
    (module) =>
      !light.has(module) && (byEntry.get(ROOT_ENTRY).has(module) || (isShared(module) && isPlain(module)))
  )
  const entries = ENTRIES.filter((entry) => core.some((module) => byEntry.get(entry).has(module)))

  return { core, entries }
}

/** The modules that are loaded with an entry. */
function listModules(outputs, entry) {
  const [main] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry)
  const files = new Set([main])

  for (const file of files) {
    for (const { path, kind } of outputs[file].imports) {
      if (kind === 'import-statement' && path in outputs) files.add(path)
    }
  }

  return [...files].flatMap((file) => Object.keys(outputs[file].inputs))
}

/**
 * A plugin by which entries that have a part of the core have all of it. esbuild makes a chunk for each set of entries that
 * share something: of the core there would be dozens, and a process that starts would spend a tenth of its time on reading them.
 */
function importTogether({ core, entries }) {
  const paths = entries.map((entry) => join(ROOT, entry))

  return {
    name: 'core',
    setup({ onLoad, onResolve }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) =>
        paths.includes(path)
          ? { contents: `${readFileSync(path, 'utf8')}\nimport 'core:all'`, loader: 'ts' }
          : undefined
      )
      onResolve({ filter: /^core:all$/ }, () => ({ path: 'all', namespace: 'core' }))
      onLoad({ filter: /^all$/, namespace: 'core' }, () => ({
        contents: core.map((module) => `import './${module}'`).join('\n'),
        resolveDir: ROOT
      }))
    }
  }
}

/** The files of `dist` that a value in package.json names. */
function listFiles(value) {
  if (typeof value === 'string') return /^(?:\.\/)?dist\/.*\.js$/.test(value) ? [value] : []

  return [...new Set(Object.values(value).flatMap(listFiles))]
}

function toSource(file) {
  return file.replace(/^(?:\.\/)?dist\/(.*)\.js$/, 'src/$1.ts')
}

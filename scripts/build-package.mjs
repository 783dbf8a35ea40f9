// Bundles `src` into `dist`: one file for each entry of package.json, and chunks of what entries share, so that a process
// which starts reads some twenty files in place of two hundred. What two entries share is in one chunk: there is one copy.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CHUNKS = join(ROOT, 'dist/chunks')

/** Modules in chunks of their own. This one imports a package, which bundles of the others would have with it. */
const APART = ['src/core/emitter.ts']

/** An import for what a chunk does when it is loaded. None does anything, as `sideEffects` of package.json says. */
const BARE_IMPORT = /^import "[^"]+";\n/gm

const { exports, imports, bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const { outputFiles } = await build({
  absWorkingDir: ROOT,
  entryPoints: [...listFiles({ exports, imports, bin }).map(toSource), ...APART],
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
  write: false,
  logLevel: 'warning'
})

rmSync(CHUNKS, { recursive: true, force: true })

for (const { path, text } of outputFiles) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text.replace(BARE_IMPORT, ''))
}

/** The files of `dist` that a value in package.json names. */
function listFiles(value) {
  if (typeof value === 'string') return /^(?:\.\/)?dist\/.*\.js$/.test(value) ? [value] : []

  return [...new Set(Object.values(value).flatMap(listFiles))]
}

function toSource(file) {
  return file.replace(/^(?:\.\/)?dist\/(.*)\.js$/, 'src/$1.ts')
}

// Builds the page of src/openapi/page into one module, src/openapi/assets.ts: the package serves it without files.
// With --check it writes nothing, and fails when the module is not what the sources make.
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const ROOT = resolve(import.meta.dirname, '..')
const SOURCE = resolve(ROOT, 'src/openapi/page')
const TARGET = resolve(ROOT, 'src/openapi/assets.ts')

const MAX_BYTES = 81_920
const MAX_COMPRESSED = 25_600

const NOTICE = '/*! Preact, MIT License, (c) 2015-present Jason Miller */'

/** @param {string} file @param {'js' | 'css'} kind */
async function bundle(file, kind) {
  const { outputFiles } = await build({
    entryPoints: [resolve(SOURCE, file)],
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    banner: kind === 'js' ? { js: NOTICE } : {},
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { 'process.env.NODE_ENV': '"production"' }
  })

  return outputFiles[0].text
}

const html = (await readFile(resolve(SOURCE, 'page.html'), 'utf8')).replaceAll(/>\s+</g, '><')

const files = [
  { name: '', type: 'text/html; charset=utf-8', content: html },
  { name: 'page.js', type: 'text/javascript; charset=utf-8', content: await bundle('page.tsx', 'js') },
  { name: 'page.css', type: 'text/css; charset=utf-8', content: await bundle('page.css', 'css') },
  { name: 'icon.svg', type: 'image/svg+xml', content: await readFile(resolve(SOURCE, 'icon.svg'), 'utf8') }
]

const bytes = files.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0)
const compressed = files.reduce((sum, { content }) => sum + gzipSync(content).length, 0)

const assets = files.map(({ name, type, content }) => {
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 16)

  return `  {\n    name: ${JSON.stringify(name)},\n    type: ${JSON.stringify(type)},\n    tag: ${JSON.stringify(`"${hash}"`)},\n    content: ${JSON.stringify(content)}\n  }`
})

const module = `// Made by scripts/build-page.mjs from the files in src/openapi/page. Change those, and run \`npm run generate\`.

/** A file of the page. The name of the page itself is empty. */
export interface Asset {
  readonly name: string
  readonly type: string
  readonly tag: string
  readonly content: string
}

export const ASSETS: readonly Asset[] = [
${assets.join(',\n')}
]
`

console.log(
  `The page has ${bytes} bytes (at most ${MAX_BYTES}), ${compressed} compressed (at most ${MAX_COMPRESSED})`
)

if (bytes > MAX_BYTES || compressed > MAX_COMPRESSED) {
  console.error('The page is too large')
  process.exitCode = 1
}

if (process.argv.includes('--check')) {
  if (module !== (await readFile(TARGET, 'utf8').catch(() => ''))) {
    console.error('src/openapi/assets.ts is not what src/openapi/page makes: run `npm run generate`')
    process.exitCode = 1
  }
} else {
  await writeFile(TARGET, module)
}

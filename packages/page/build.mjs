// Builds the page into one module of alula, src/openapi/assets.ts, which is not committed: alula serves it without files.
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { minify } from 'terser'

const SOURCE = resolve(import.meta.dirname, 'src')
const TARGET = resolve(import.meta.dirname, '../../src/openapi/assets.ts')

const MAX_BYTES = 81_920
const MAX_COMPRESSED = 27_328

const NOTICE = '/*! Preact, MIT License, (c) 2015-present Jason Miller */'

/** Writes the module, unless it is there. Vitest calls this before the tests. */
export async function setup() {
  const html = (await readFile(resolve(SOURCE, 'page.html'), 'utf8')).replaceAll(/>\s+</g, '><')

  const files = [
    { name: '', type: 'text/html; charset=utf-8', content: html },
    { name: 'page.js', type: 'text/javascript; charset=utf-8', content: await bundle('page.tsx', 'js') },
    { name: 'page.css', type: 'text/css; charset=utf-8', content: await bundle('page.css', 'css') },
    { name: 'icon.svg', type: 'image/svg+xml', content: await readFile(resolve(SOURCE, 'icon.svg'), 'utf8') }
  ]

  assertSize(files)

  const assets = files.map(({ name, type, content }) => {
    const hash = createHash('sha256').update(content).digest('base64url').slice(0, 16)

    return `  {\n    name: ${JSON.stringify(name)},\n    type: ${JSON.stringify(type)},\n    tag: ${JSON.stringify(`"${hash}"`)},\n    content: ${JSON.stringify(content)}\n  }`
  })

  const module = `// Made by packages/page/build.mjs from the files in packages/page/src. Change those, and run \`npm run generate\`.

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

  // Watchers of tests and compilers would start again.
  if (module !== (await readFile(TARGET, 'utf8').catch(() => ''))) await writeFile(TARGET, module)
}

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
    // Shorter than the automatic runtime: children are arguments, and there is no second module.
    jsx: 'transform',
    jsxFactory: 'h',
    jsxFragment: 'Fragment',
    inject: [resolve(SOURCE, 'jsx.ts')],
    tsconfigRaw: {},
    define: { 'process.env.NODE_ENV': '"production"' }
  })

  const { text } = outputFiles[0]

  return kind === 'js' ? await shorten(text) : text
}

/** Terser makes it 700 compressed bytes smaller than esbuild alone does. */
async function shorten(text) {
  const { code } = await minify(text, {
    module: true,
    ecma: 2020,
    // `unsafe` means code that changes what is built in, which the page does not.
    compress: { passes: 3, unsafe: true, unsafe_arrows: true },
    format: { comments: /^!/ }
  })

  return `${code}\n`
}

function assertSize(files) {
  const bytes = files.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0)
  const compressed = files.reduce((sum, { content }) => sum + gzipSync(content).length, 0)
  const sizes = `${bytes} bytes (at most ${MAX_BYTES}), ${compressed} compressed (at most ${MAX_COMPRESSED})`

  if (bytes > MAX_BYTES || compressed > MAX_COMPRESSED) throw new Error(`The page has ${sizes}`)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await setup()

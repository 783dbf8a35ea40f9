import { resolve } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')

it('schemas run in a browser, and are small', async () => {
  const { outputFiles, metafile } = await build({
    stdin: { contents: "export { schema } from './src/schema.ts'", resolveDir: ROOT, loader: 'ts' },
    absWorkingDir: ROOT,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    minify: true,
    metafile: true,
    write: false,
    // Only for JSON Schemas.
    external: ['ajv', 'ajv/*', 'ajv-formats', 'events']
  })
  const [file] = outputFiles as [(typeof outputFiles)[number]]

  expect(Object.keys(metafile.inputs).filter((input) => input.includes('node_modules'))).toEqual([])
  expect(brotliCompressSync(file.contents).length).toBeLessThan(17_664)
})

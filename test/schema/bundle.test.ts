import { resolve } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')

/** A file that a server and a browser share; a form of the browser checks its data by the record. */
const PROGRAM = `
import { z } from 'zod'
import { many, onWrite, schema } from './src/schema.ts'

export const Note = z.object({ id: z.int(), text: z.string().min(1), at: z.date() })
export const notes = schema(Note, {
  server: { at: onWrite(() => new Date()) },
  relations: { comments: many('comments', { to: 'noteId' }) }
})
export const checkForm = (data) => Note.pick({ text: true }).safeParse(data)
`

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
    // Ajv is only for JSON Schemas.
    external: ['zod', 'ajv', 'ajv/*', 'ajv-formats']
  })
  const [file] = outputFiles as [(typeof outputFiles)[number]]
  const [output] = Object.values(metafile.outputs) as [(typeof metafile.outputs)[string]]

  return {
    modules: Object.keys(output.inputs).filter((name) => output.inputs[name]?.bytesInOutput),
    compressed: brotliCompressSync(file.contents).length
  }
}

it('a declaration in a browser is small, and has nothing of what enforces it', async () => {
  const { modules } = await bundle(PROGRAM)
  // What is published has several modules in one file.
  const { compressed } = await bundle(PROGRAM.replace('./src/schema.ts', './dist/schema.js'))

  expect(modules).toContain('src/schema/declaration.ts')
  expect(
    modules.filter((name) => /node_modules|schema\/(compile|enforce|query|related)\./.test(name))
  ).toEqual([])
  expect(compressed).toBeLessThan(7_620)
})

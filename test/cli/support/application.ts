import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll } from 'vitest'
import { buildCommand, createFolder, type Output, runNode } from '../../support/command.ts'

const SRC = join(import.meta.dirname, '../../../src')

type Files = { readonly [path: string]: string | Buffer }

/**
 * Prepares a function for the tests of one file that runs `alula` in a folder with some files. The application `app.mjs` has a copy
 * of the library of its own. What is built is built once, and removed after these tests.
 */
export function prepareCommand(): (files: Files, ...args: string[]) => Promise<Output> {
  const commandFolder = mkdtempSync(join(tmpdir(), 'alula-command-'))
  const bundles = new Map<string, Promise<Buffer>>()
  let command: Promise<string> | undefined

  afterAll(() => rmSync(commandFolder, { recursive: true, force: true }))

  return async (files, ...args) => {
    const folder = createFolder(files)
    const file = join(folder, 'app.mjs')
    const key = JSON.stringify(files)
    const bundle = bundles.get(key) ?? buildApp(file)

    bundles.set(key, bundle)
    command ??= buildCommand(commandFolder)
    writeFileSync(file, await bundle)

    return await runNode([await command, ...args], { cwd: folder })
  }
}

/** Puts an application and what it imports into one file. */
async function buildApp(file: string): Promise<Buffer> {
  await build({
    entryPoints: [file],
    outfile: file,
    allowOverwrite: true,
    bundle: true,
    platform: 'node',
    banner: {
      js: "import { createRequire as toRequire } from 'node:module'; const require = toRequire(import.meta.url)"
    },
    format: 'esm',
    logLevel: 'error'
  })

  return readFileSync(file)
}

/** An application in a file. */
export function toApp(services: string, exported = 'export default app'): string {
  return `
import { access, anyone, closed } from '${SRC}/access.ts'
import { alula } from '${SRC}/index.ts'
import { memory } from '${SRC}/memory.ts'

const app = alula()
const mine = () => ({ ownerId: 1 })

${services}
${exported}
`
}

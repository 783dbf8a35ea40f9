import { join } from 'node:path'
import { build } from 'esbuild'
import { buildCommand, createFolder, type Output, runNode } from '../../support/command.ts'

const SRC = join(import.meta.dirname, '../../../src')

/** Runs `alula` in a folder with some files. The application `app.mjs` has a copy of the library of its own. */
export async function runCommand(
  files: { readonly [path: string]: string | Buffer },
  ...args: string[]
): Promise<Output> {
  const folder = createFolder(files)
  const file = join(folder, 'app.mjs')

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

  return await runNode([await buildCommand(createFolder()), ...args], { cwd: folder })
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

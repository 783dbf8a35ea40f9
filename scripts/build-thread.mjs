// Builds the thread that hashes passwords into one module, src/authentication/bcrypt-thread-text.ts, which is not committed.
// A file or a package that the thread loads by its path would not be in the bundle of an application.
import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const ROOT = resolve(import.meta.dirname, '..')
const SOURCE = resolve(ROOT, 'src/authentication/bcrypt-thread.ts')
const TARGET = resolve(ROOT, 'src/authentication/bcrypt-thread-text.ts')

/** Writes the module. Vitest calls it before the tests. */
export async function setup() {
  const license = await readFile(resolve(ROOT, 'node_modules/bcryptjs/LICENSE'), 'utf8')
  const { outputFiles } = await build({
    entryPoints: [SOURCE],
    bundle: true,
    write: false,
    minify: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    legalComments: 'none'
  })
  const text = `/*!\n${license.trim()}\n*/\n${outputFiles[0].text}`
  const module = `// Made by scripts/build-thread.mjs from bcrypt-thread.ts. Change that, and run \`npm run build\`.
// Stryker disable all
/** The program of a thread that hashes passwords. */
export const BCRYPT_THREAD: string = ${JSON.stringify(text)}
`

  // Watchers of tests and compilers would start again.
  if (module !== (await readFile(TARGET, 'utf8').catch(() => ''))) await writeFile(TARGET, module)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await setup()

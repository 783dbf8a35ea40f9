import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { build } from 'esbuild'
import { onTestFinished } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')

export interface Output {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A folder that is gone behind the test. */
export function createFolder(files: { readonly [path: string]: string | Buffer } = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'alula-migrate-'))

  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }

  return folder
}

/** The command of each package, in its sources. */
const COMMANDS = { '.': 'src/cli/cli.ts', 'packages/alula-migrate': 'src/cli.ts' }

/**
 * Builds the command of a package from its sources, at its place in the package. Returns the file to run.
 *
 * @param folder An empty folder
 * @param owner The folder of the package in this repository
 */
export async function buildCommand(folder: string, owner: keyof typeof COMMANDS = '.'): Promise<string> {
  const source = COMMANDS[owner]
  const file = join(folder, source.replace(/^src/, 'dist').replace(/ts$/, 'js'))

  await build({
    entryPoints: [join(ROOT, owner, source)],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    mainFields: ['module', 'main'],
    // Packages in CommonJS require modules of Node. Other packages import `createRequire` under its name.
    banner: {
      js: "import { createRequire as toRequire } from 'node:module'; const require = toRequire(import.meta.url)"
    },
    logLevel: 'error'
  })
  copyFileSync(join(ROOT, owner, 'package.json'), join(folder, 'package.json'))

  return file
}

/** Runs a file of Node to its end. */
export function runNode(
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {}
): Promise<Output> {
  return new Promise((done) => {
    execFile(process.execPath, [...args], { ...options }, (error, stdout, stderr) => {
      done({ code: error ? Number(error.code) : 0, stdout, stderr })
    })
  })
}

// Installs the servers that tests start in versions which the machine does not have, into test/servers/node_modules.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mustRun } from './support/run.mjs'

const FOLDER = fileURLToPath(new URL('../test/servers', import.meta.url))

await mustRun('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: FOLDER, show: true })

// Not every npm runs the scripts of packages. Theirs links the names of shared libraries.
for (const name of readdirSync(join(FOLDER, 'node_modules'))) {
  const cwd = join(FOLDER, 'node_modules', name)
  const script = join('scripts', 'hydrate-symlinks.js')

  if (existsSync(join(cwd, script))) await mustRun(process.execPath, [script], { cwd })
}

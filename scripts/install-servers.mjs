// Installs the servers that tests start in versions which the machine does not have, into test/servers/node_modules, and the
// bundlers that tests run, into test/bundlers/node_modules.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mustRun } from './support/run.mjs'

const [FOLDER, BUNDLERS] = ['servers', 'bundlers'].map((name) =>
  fileURLToPath(new URL(`../test/${name}`, import.meta.url))
)

for (const cwd of [FOLDER, BUNDLERS]) {
  await mustRun('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd, show: true })
}

// Not every npm runs the scripts of packages. Theirs links the names of shared libraries.
for (const name of readdirSync(join(FOLDER, 'node_modules'))) {
  const cwd = join(FOLDER, 'node_modules', name)
  const script = join('scripts', 'hydrate-symlinks.js')

  if (existsSync(join(cwd, script))) await mustRun(process.execPath, [script], { cwd })
}

// node bench/run.mjs [name] [arguments]: prepares what is missing, then runs the benchmark that is named, or all but the
// long ones. `rest` and `large` take names of servers as arguments.
import { execSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cpus } from 'node:os'
import { toPath } from './lib.mjs'

const BENCHMARKS = [
  'hooks',
  'rest',
  'schema',
  'router',
  'access',
  'relations',
  'realtime',
  'large',
  'memory',
  'sql',
  'logins',
  'latency',
  'resources',
  'install'
]
/** Not run unless they are named. */
const LONG_BENCHMARKS = ['soak']

const [name, ...rest] = process.argv.slice(2)
const names = [...BENCHMARKS, ...LONG_BENCHMARKS]

if (name !== undefined && !names.includes(name)) {
  throw new Error(`Unknown benchmark '${name}': expected one of ${names.join(', ')}`)
}

prepare('node_modules', 'npm ci', '.')
prepare('../dist', 'npm run build', '..')

const processors = cpus()

console.log(`\nNode ${process.version}, ${processors.length} × ${processors[0].model}`)

// A process for each, so that none inherits the compiled code and the garbage of another.
for (const benchmark of name === undefined ? BENCHMARKS : [name]) {
  const { status } = spawnSync(process.execPath, [toPath(`${benchmark}.mjs`), ...rest], { stdio: 'inherit' })

  if (status !== 0) process.exit(1)
}

/** Runs a command when the folder that it makes is not there. */
function prepare(folder, command, directory) {
  if (!existsSync(toPath(folder))) execSync(command, { cwd: toPath(directory), stdio: 'inherit' })
}

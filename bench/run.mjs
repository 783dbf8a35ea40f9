// node bench/run.mjs [name] [arguments]: prepares what is missing, then runs the benchmark that is named, or all but the
// long ones. `rest` and `large` take names of servers as arguments. With --save, the tables are written to `results/`.
import { execSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
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
  'document',
  'logins',
  'latency',
  'resources',
  'install'
]
/** Not run unless they are named. */
const LONG_BENCHMARKS = ['soak']

const SAVE = '--save'
const [name, ...rest] = process.argv.slice(2).filter((argument) => argument !== SAVE)
const names = [...BENCHMARKS, ...LONG_BENCHMARKS]

if (name !== undefined && !names.includes(name)) {
  throw new Error(`Unknown benchmark '${name}': expected one of ${names.join(', ')}`)
}

prepare('node_modules', 'npm ci', '.')
prepare('../dist', 'npm run build', '..')

const processors = cpus()
const machine = `Node ${process.version}, ${processors.length} × ${processors[0].model}`

console.log(`\n${machine}`)

for (const benchmark of name === undefined ? BENCHMARKS : [name]) {
  const output = await run(benchmark)

  if (process.argv.includes(SAVE)) save(benchmark, output)
}

/** Runs a benchmark in a process of its own, so that none inherits the compiled code and the garbage of another. */
async function run(benchmark) {
  const child = spawn(process.execPath, [toPath(`${benchmark}.mjs`), ...rest], {
    stdio: ['inherit', 'pipe', 'inherit']
  })
  let output = ''

  child.stdout.setEncoding('utf8').on('data', (text) => {
    process.stdout.write(text)
    output += text
  })

  const [code] = await once(child, 'close')

  if (code !== 0) process.exit(1)

  return output
}

function save(benchmark, output) {
  mkdirSync(toPath('results'), { recursive: true })
  writeFileSync(toPath(`results/${benchmark}.md`), `# ${benchmark}\n\n${machine}\n\n${output.trim()}\n`)
}

/** Runs a command when the folder that it makes is not there. */
function prepare(folder, command, directory) {
  if (!existsSync(toPath(folder))) execSync(command, { cwd: toPath(directory), stdio: 'inherit' })
}

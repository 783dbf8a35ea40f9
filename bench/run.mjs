// node bench/run.mjs [name] [arguments]: prepares what is missing, then runs the benchmark that is named, or all but the
// long ones. `rest` and `large` take names of servers as arguments. With --save, the tables are written to `results/`; with
// --compare and the folder of another checkout, two builds are compared.
import { execSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { COMPARABLE, compareBuilds } from './compare.mjs'
import { toPath } from './lib.mjs'

const BENCHMARKS = [
  'hooks',
  'rest',
  'schema',
  'router',
  'access',
  'relations',
  'realworld',
  'realtime',
  'large',
  'memory',
  'sql',
  'document',
  'completion',
  'logins',
  'latency',
  'mcp',
  'resources',
  'install'
]
/** Not run unless they are named. */
const NAMED_BENCHMARKS = ['alone', 'parts', 'sessions', 'login-timing', 'flood', 'scale', 'soak']

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { save: { type: 'boolean' }, compare: { type: 'string' } }
})
const [name, ...rest] = positionals
const names = [...BENCHMARKS, ...NAMED_BENCHMARKS]

if (name !== undefined && !names.includes(name)) {
  throw new Error(`Unknown benchmark '${name}': expected one of ${names.join(', ')}`)
}

if (options.compare !== undefined && !COMPARABLE.includes(name)) {
  throw new Error(`--compare needs the name of a benchmark: expected one of ${COMPARABLE.join(', ')}`)
}

prepare('node_modules', 'npm ci', '.')
prepare('../dist', 'npm run build', '..')
prepare('../examples/realworld/dist', 'npx tsc -p examples/realworld', '..')

const processors = cpus()
const machine = `Node ${process.version}, ${processors.length} × ${processors[0].model}`

console.log(`\n${machine}`)

if (options.compare === undefined) await runAll()
else await compare()

async function runAll() {
  for (const benchmark of name === undefined ? BENCHMARKS : [name]) {
    const output = await run(benchmark)

    if (options.save) save(benchmark, output)
  }
}

/** Ends with code 1 when this build is slower. */
async function compare() {
  // npm runs this in the repository: a relative folder is meant from where the command was entered.
  const folder = resolve(process.env.INIT_CWD ?? '.', options.compare)

  if (!(await compareBuilds(name, folder, rest))) process.exitCode = 1
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

/** The tables of Node 20 have no number in their names. */
function save(benchmark, output) {
  const [major] = process.versions.node.split('.')
  const file = major === '20' ? benchmark : `${benchmark}-node${major}`

  mkdirSync(toPath('results'), { recursive: true })
  writeFileSync(toPath(`results/${file}.md`), `# ${benchmark}\n\n${machine}\n\n${output.trim()}\n`)
}

/** Runs a command when the folder that it makes is not there. */
function prepare(folder, command, directory) {
  if (!existsSync(toPath(folder))) execSync(command, { cwd: toPath(directory), stdio: 'inherit' })
}

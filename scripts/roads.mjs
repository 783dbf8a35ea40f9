// How many functions and files a request runs through, and figures of the sources: `npm run roads`. Names of roads as
// arguments measure those alone; `--trace` prints the functions that were entered, `--json` prints JSON. Run
// `npm run build` first.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { measureHouse } from './roads/house.mjs'
import { traceFunctions } from './roads/tracer.mjs'
import { copyBuild } from './support/build-copy.mjs'

const ROADS = {
  plain: 'a plain POST over Express',
  declared: 'a POST with schema, owner and token',
  include: 'a GET with $include=author on SQLite',
  login: 'a login with a password',
  event: 'an event to a socket of another process'
}

/** How long a road may take, in milliseconds: walk.mjs starts servers. */
const ROAD_TIMEOUT = 120_000

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** An import of another module, as esbuild writes it. */
const SOURCE_IMPORT = /((?:\bfrom |\bimport |\bimport\()"\.{1,2}\/[^"]+)\.ts"/g

const WALK = fileURLToPath(new URL('roads/walk.mjs', import.meta.url))
const REDIRECT = new URL('support/redirect.mjs', import.meta.url).href

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false }, trace: { type: 'boolean', default: false } }
})
const unknown = positionals.find((name) => !Object.hasOwn(ROADS, name))

if (unknown !== undefined) {
  throw new Error(`Unknown road '${unknown}': expected one of ${Object.keys(ROADS).join(', ')}`)
}

const names = positionals.length > 0 ? positionals : Object.keys(ROADS)
const copy = copyBuild()

await compileModules(join(copy, 'dist'))
traceFunctions(join(copy, 'dist'))

const roads = new Map()

for (const name of names) roads.set(name, await walk(name))

/** Where roads are named, only those are wanted. */
const house = positionals.length > 0 ? undefined : measureHouse()

if (options.json) printJson()
else printTables()

/** Compiles each module of `src` into a file of its own: what is published has several in one. */
async function compileModules(folder) {
  rmSync(folder, { recursive: true })
  await build({
    absWorkingDir: ROOT,
    entryPoints: ['src/**/*.ts'],
    outbase: 'src',
    outdir: folder,
    format: 'esm',
    platform: 'node',
    target: 'node20'
  })

  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.js')) continue

    const file = join(folder, path)

    writeFileSync(file, readFileSync(file, 'utf8').replace(SOURCE_IMPORT, '$1.js"'))
  }
}

/** Walks a road in a process of its own, so that no road warms another. */
async function walk(name) {
  const child = fork(WALK, [name], {
    execArgv: ['--import', REDIRECT],
    env: { ...process.env, NODE_ENV: 'production', ALULA_BUILD: copy },
    timeout: ROAD_TIMEOUT
  })
  const exit = once(child, 'exit')
  const [walked] = await Promise.race([
    once(child, 'message'),
    exit.then(([code]) => {
      throw new Error(`The road '${name}' ended with code ${code} and without an outcome`)
    })
  ])

  await exit

  return walked
}

function printJson() {
  const counts = [...roads].map(([name, { counts, reason }]) => [name, counts ?? { reason }])

  console.log(JSON.stringify({ roads: Object.fromEntries(counts), house }, undefined, 2))
}

function printTables() {
  printTable(
    ['road', '', 'calls', 'functions', 'files', 'without utils', 'before the method: calls', 'without utils'],
    [...roads].map(([name, { counts, reason }]) => [
      name,
      reason === undefined ? ROADS[name] : `${ROADS[name]}: ${reason}`,
      ...toCells(counts)
    ])
  )
  if (house) printHouse(house)
  for (const [name, { text }] of roads) if (options.trace && text) console.log(`\n${name}:\n${text}`)
}

function printHouse(house) {
  printTable(
    ['sources', ''],
    [
      [
        'symbols that are keys, without those of Feathers',
        `${house.marks}, in ${house.filesWithMarks} files`
      ],
      ['all symbols, without those of Feathers', house.symbols],
      ['functions of 60 lines and more', `${house.longFunctions}, the longest has ${house.longestFunction}`],
      ['state of modules that changes', house.moduleState],
      ['any in 1,000 lines', house.anyPerThousandLines],
      ['lines of src', house.lines]
    ]
  )
}

function toCells({ calls, functions, files, filesWithoutUtils, before } = {}) {
  return [calls, functions, files, filesWithoutUtils, before?.calls, before?.filesWithoutUtils].map(
    (value) => value ?? '–'
  )
}

function printTable(header, rows) {
  const lines = [header, ...rows].map((row) => row.map(String))
  const widths = header.map((_, column) => Math.max(...lines.map((row) => row[column].length)))
  const texts = lines.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`
  )
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`

  console.log(['', texts[0], rule, ...texts.slice(1)].join('\n'))
}

// Writes the figures of the README, between its two comments, from bench/results. With --check it only says whether they are
// up to date.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const README = toPath('README.md')
const [BEGIN, END] = ['<!-- figures: node scripts/figures.mjs -->\n', ' <!-- /figures -->']

/** The rows of the README, by the name of the server in bench/results/rest-node24.md. */
const SERVERS = {
  'Express 5 by hand, key made once': 'handwritten Express 5, key derived once',
  'Fastify 5': 'handwritten Fastify 5',
  'Feathers v5': 'Feathers v5',
  'alula, app.listen()': 'alula, `app.listen()`',
  'alula, toListener': 'alula, `toListener`'
}

const ratios = readRest('rest-node24')
const earlier = readRest('rest')
const sizes = read('bench/results/install.md').split('Installed for production')[1]
const readme = readFileSync(README, 'utf8')
const [before, rest] = cut(readme, BEGIN)
const [, after] = cut(rest, END)
const written = `${before}${BEGIN}${format()}${END}${after}`

if (process.argv.includes('--check')) {
  if (written !== readme) {
    console.error('The figures of the README are not those of bench/results: run node scripts/figures.mjs')
    process.exit(1)
  }
  console.log('The figures of the README are up to date')
} else writeFileSync(README, written)

function format() {
  const rows = Object.entries(SERVERS).map(
    ([server, label]) => `| ${label} | ${readRatios(ratios, server).join(' | ')} |`
  )
  const [ours, theirs] = ['alula', 'Feathers v5'].map(readSize)
  const [listen, listener] = ['alula, app.listen()', 'alula, toListener'].map(
    (server) => readRatios(earlier, server)[0]
  )

  return `| Requests per second of CPU time on Node 24, relative to handwritten Express 5 (1.00) | get | find | create | patch | get with a token |
|---|---|---|---|---|---|
${rows.join('\n')}

\`app.listen()\` runs Express middleware, and then handles service calls without Express. \`toListener\` does not use Express at all. \
Most programs derive the signing key from the secret again for each token; the row *key derived once* does not. alula derives its key once too, and remembers tokens that it has verified: for these it checks only their expiry, their revocation and the user. \
On Node 20, where Express is slower, \`get\` reaches ${listen} with \`app.listen()\` and ${listener} with \`toListener\`. A small application installs ${ours.packages} packages (${ours.size} MB), against ${theirs.packages} (${theirs.size} MB) with Feathers v5.`
}

/** The table of ratios in a result of `rest`. */
function readRest(name) {
  return read(`bench/results/${name}.md`).split('The same as a ratio to Express 5 by hand')[1]
}

/** The medians of a server, one for each kind of request. */
function readRatios(table, server) {
  return findRow(table, server).map((cell) => cell.split(' ')[0])
}

function readSize(application) {
  const [packages, size] = findRow(sizes, application)

  return { packages, size }
}

/** The cells of a row after its name. */
function findRow(table, name) {
  const rows = table.split('\n').map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
  )
  const row = rows.find(([first]) => first === name)

  if (!row) throw new Error(`bench/results has no row '${name}'`)

  return row.slice(1)
}

function cut(text, mark) {
  const parts = text.split(mark)

  if (parts.length !== 2) throw new Error(`Expected '${mark.trim()}' once in the README`)

  return parts
}

function read(path) {
  return readFileSync(toPath(path), 'utf8')
}

function toPath(path) {
  return fileURLToPath(new URL(`../${path}`, import.meta.url))
}

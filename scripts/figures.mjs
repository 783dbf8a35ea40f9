// Writes the figures of the README, between its two comments, from bench/results. With --check it only says whether they are
// up to date.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const README = toPath('README.md')
const [BEGIN, END] = ['<!-- figures: node scripts/figures.mjs -->\n', ' <!-- /figures -->']

/** The rows of the README, by the name of the server in bench/results/rest.md. */
const SERVERS = {
  'node:http by hand': 'handwritten `node:http`',
  'Fastify 5': 'handwritten Fastify 5',
  'Feathers v5': 'Feathers v5',
  'alula, app.listen()': 'alula, `app.listen()`',
  'alula, toListener': 'alula, `toListener`'
}

/** Where a token is read with a key that is made once. */
const KEY_ONCE = 'Express 5 by hand, key made once'

const ratios = readRest('rest')
const later = readRest('rest-node24')
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
  const [fastify, listen, listener] = ['Fastify 5', 'alula, app.listen()', 'alula, toListener'].map(
    (server) => readRatios(later, server)[0]
  )

  return `| Requests per second of CPU time, relative to handwritten Express 5 (1.00) | get | find | create | patch | get with a token |
|---|---|---|---|---|---|
${rows.join('\n')}

\`app.listen()\` runs Express middleware, and then handles service calls without Express. \`toListener\` does not use Express at all. \
The handwritten servers derive the signing key from the secret for each token, as most programs do. With a key that is derived once, handwritten Express reaches ${readRatios(ratios, KEY_ONCE).at(-1)} in \
the last column. alula derives it once too, and remembers tokens that it has verified: it then checks only their expiry, their revocation and the user. The table was measured on Node 20. On Node 24, Express needs about a third of the time that it needs on Node 20. On Node 24, \`get\` reaches ${listen} with \`app.listen()\`, ${listener} with \`toListener\` and ${fastify} with Fastify, relative to Express. A small application installs ${ours.packages} packages (${ours.size} MB), against ${theirs.packages} (${theirs.size} MB) with Feathers v5.`
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

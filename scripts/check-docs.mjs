// Every link and every anchor in the documents of the repository leads somewhere, on GitHub as on the site, and the
// guides show more than they tell. With --pages it prints how much each guide shows.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createMarkdownRenderer } from 'vitepress'
import { markdown } from '../docs/.vitepress/markdown.mjs'
import { mustRun } from './support/run.mjs'

/** How many lines of code the guides have at least per 100 words. */
const MIN_DENSITY = 10

/** Pages that are looked up, or that are about this repository: they are no guides. */
const NO_GUIDES = [
  'index',
  'compatibility',
  'error-codes',
  'stability',
  'comparison',
  'support',
  'architecture',
  'map',
  'testing'
]

const folder = process.argv.slice(2).find((argument) => !argument.startsWith('--'))
const root = resolve(folder ?? fileURLToPath(new URL('..', import.meta.url)))
const parser = await createMarkdownRenderer(root, markdown)
const pages = new Map()
const files = await listDocuments()
const links = files.flatMap((file) => readPage(file).links.map((link) => ({ file, link })))
const broken = links.flatMap(({ file, link }) => {
  const reason = findFault(file, link)

  return reason ? [`${relative(root, file)}: ${link} ${reason}`] : []
})

for (const line of broken) console.error(line)
console.log(`${links.length} links in ${files.length} documents, ${broken.length} of them broken`)

const guides = listGuides()

if (process.argv.includes('--pages'))
  for (const guide of guides) console.log(`${formatDensity(guide)}  ${guide.name}`)

const total = sum(guides)
// The tests check the links of other folders.
const isTooWordy = folder === undefined && toDensity(total) < MIN_DENSITY

if (guides.length > 0) console.log(`${formatDensity(total)}  over ${guides.length} guides`)
if (isTooWordy) console.error(`The guides need ${MIN_DENSITY} lines of code per 100 words`)

process.exit(broken.length > 0 || isTooWordy ? 1 : 0)

/** What belongs to the repository, and the reference, which is made. */
async function listDocuments() {
  const list = ['ls-files', '--cached', '--others', '--deduplicate']
  const own = await mustRun('git', [...list, '--exclude-standard', '*.md'], { cwd: root })
  const made = await mustRun('git', [...list, 'docs/api/*.md'], { cwd: root })

  return `${own}${made}`
    .split('\n')
    .filter((name) => name !== '' && existsSync(join(root, name)))
    .map((name) => join(root, name))
}

function readPage(file) {
  if (!pages.has(file)) pages.set(file, parsePage(readFileSync(file, 'utf8')))

  return pages.get(file)
}

function parsePage(text) {
  const blocks = parser.parse(text, {})
  const tokens = blocks.flatMap((block) => [block, ...(block.children ?? [])])
  const links = tokens.filter((token) => token.attrGet('class') !== 'header-anchor')
  const html = tokens.filter(({ type }) => type.startsWith('html_')).map(({ content }) => content)

  return {
    links: [
      ...links.flatMap((token) => token.attrGet('href') ?? token.attrGet('src') ?? []),
      ...listFrontLinks(text)
    ],
    anchors: new Set([
      ...tokens.filter(({ type }) => type === 'heading_open').map((token) => token.attrGet('id')),
      ...[...html.join('').matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id)
    ])
  }
}

/** The guides, with their lines of code and their words. The section `Reference` at the end of a page is not counted. */
function listGuides() {
  return files
    .filter((file) => relative(join(root, 'docs'), dirname(file)) === '')
    .map((file) => ({ name: basename(file, '.md'), ...measure(readFileSync(file, 'utf8')) }))
    .filter(({ name }) => !NO_GUIDES.includes(name))
    .sort((one, other) => one.lines / one.words - other.lines / other.words)
}

function measure(text) {
  const [guide] = text.split(/^## Reference$/m)
  const blocks = guide.match(/^ *```[\s\S]*?^ *```$/gm) ?? []
  const prose = guide.replace(/^ *```[\s\S]*?^ *```$/gm, '')

  return {
    lines: blocks.flatMap((block) => block.split('\n').slice(1, -1)).filter((line) => line.trim() !== '')
      .length,
    words: (prose.match(/[^\s|]*\w[^\s|]*/g) ?? []).length
  }
}

function sum(guides) {
  return guides.reduce(
    (total, { lines, words }) => ({ lines: total.lines + lines, words: total.words + words }),
    { lines: 0, words: 0 }
  )
}

/** Lines of code per 100 words. */
function toDensity({ lines, words }) {
  return (100 * lines) / words
}

function formatDensity({ lines, words }) {
  const density = toDensity({ lines, words }).toFixed(1)

  return `${density.padStart(5)} lines of code per 100 words (${lines} lines, ${words} words)`
}

/** The links of a landing page are in its front matter, as paths of the site. */
function listFrontLinks(text) {
  const [front = ''] = /^---\n[\s\S]*?\n---\n/.exec(text) ?? []

  return [...front.matchAll(/\blink: \/(\S+)/g)].map(([, page]) => `${page.replace(/\/$/, '/index')}.md`)
}

function findFault(file, link) {
  if (/^[a-z]+:/.test(link)) return undefined

  const [path, anchor] = decodeURI(link).split('#')
  const target = path === '' ? file : resolve(dirname(file), path)

  if (relative(root, target).startsWith('..')) return 'leads out of the repository'
  if (!existsSync(target)) return 'leads nowhere'
  if (anchor === undefined) return undefined
  if (statSync(target).isDirectory() || !target.endsWith('.md'))
    return 'has an anchor, and leads to no document'

  return readPage(target).anchors.has(anchor) ? undefined : 'has an anchor that is not there'
}

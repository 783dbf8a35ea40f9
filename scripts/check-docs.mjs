// Every link and every anchor in the documents of the repository leads somewhere, on GitHub as on the site.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createMarkdownRenderer } from 'vitepress'
import { markdown } from '../docs/.vitepress/markdown.mjs'
import { mustRun } from './support/run.mjs'

const root = resolve(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url)))
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
process.exit(broken.length === 0 ? 0 : 1)

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

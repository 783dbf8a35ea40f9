// How the pages are read: the same links and anchors have to work here and where the repository is shown.
import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where the repository is shown. It has no public place yet. */
const REPOSITORY = 'https://example.com/alula/blob/main'

const DOCS = fileURLToPath(new URL('..', import.meta.url))
const ROOT = join(DOCS, '..')

/** The anchor of a heading, as GitHub makes it. */
export function slugify(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
}

/** The options of VitePress for markdown. */
export const markdown = {
  anchor: { slugify },
  languageAlias: { cjs: 'js' },
  config: (parser) => parser.core.ruler.push('repository', rewriteLinks)
}

function rewriteLinks({ tokens, env }) {
  const links = tokens.flatMap(({ children }) => children ?? []).filter(({ type }) => type === 'link_open')

  for (const link of links) link.attrSet('href', toSiteLink(link.attrGet('href'), env.path))
}

/** Links to what is no page of the site lead to the repository, and links to a folder to its first page. */
function toSiteLink(href, page) {
  if (page === undefined || /^([a-z]+:|[#/])/.test(href)) return href

  const target = join(dirname(page), href)

  if (relative(DOCS, target).startsWith('..')) return `${REPOSITORY}/${relative(ROOT, target)}`

  return existsSync(join(target, 'index.md')) ? `${href}/index.md` : href
}

// A short index of the guides for language models (https://llmstxt.org), made of the pages: the site serves it at
// /llms.txt. An argument is the folder to write to, instead of the one whose files VitePress copies.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { GUIDES, readPage, SITE, toTitle } from '../docs/.vitepress/guides.mjs'

const folder = process.argv[2] ?? fileURLToPath(new URL('../docs/public', import.meta.url))
const groups = Object.entries(GUIDES).map(
  ([group, pages]) => `## ${group}\n\n${pages.map(toLine).join('\n')}\n`
)

mkdirSync(folder, { recursive: true })
writeFileSync(
  join(folder, 'llms.txt'),
  [`# ${SITE.title}\n`, `> ${SITE.description}\n`, ...groups].join('\n')
)

function toLine(page) {
  const markdown = readPage(page)

  return `- [${toTitle(markdown)}](/${page}.html): ${toSummary(markdown)}`
}

/** The first sentence of a page, without links. */
function toSummary(markdown) {
  const [, paragraph] = /^# .+\n+([\s\S]+?)(?:\n\n|\n```)/m.exec(markdown)
  const [sentence] = /^.+?[.:](?= |$)/.exec(paragraph.replaceAll('\n', ' '))

  return sentence
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replaceAll('**', '')
    .replace(/:$/, '.')
}

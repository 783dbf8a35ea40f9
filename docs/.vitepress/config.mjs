import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { GUIDES, readPage, SITE, toTitle } from './guides.mjs'
import { markdown } from './markdown.mjs'

const DOCS = fileURLToPath(new URL('..', import.meta.url))

assertComplete()

// biome-ignore lint/style/noDefaultExport: VitePress asks for it.
export default defineConfig({
  ...SITE,
  lang: 'en',
  // Without one, browsers ask for a file that is not there.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown,
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Guides', link: '/quickstart' },
      { text: 'API', link: '/api/' },
      { text: 'Decisions', link: '/decisions/' }
    ],
    sidebar: {
      '/': Object.entries(GUIDES).map(([text, names]) => ({ text, items: names.map(toItem) })),
      '/api/': [
        {
          text: 'API reference',
          link: '/api/',
          items: [
            ...listPages('api/alula', ['api/alula']),
            ...listPages('api/alula-testing', ['api/alula-testing'])
          ].map(toItem)
        }
      ],
      '/decisions/': [{ text: 'Decisions', link: '/decisions/', items: listPages('decisions').map(toItem) }]
    }
  }
})

/** A page that nothing leads to is not read. */
function assertComplete() {
  const listed = Object.values(GUIDES).flat()
  const pages = [...listPages('.'), ...listPages('tutorial'), ...listPages('recipes')].map((page) =>
    page.replace('./', '')
  )
  const orphan = pages.find((page) => !listed.includes(page))

  if (orphan) throw new Error(`${orphan}.md is not in the sidebar`)
}

function listPages(folder, first = []) {
  const files = readdirSync(`${DOCS}${folder}`).filter((file) => file.endsWith('.md') && file !== 'index.md')

  return [...first, ...files.sort().map((file) => `${folder}/${file.replace('.md', '')}`)]
}

function toItem(page) {
  return { text: toTitle(readPage(page)), link: `/${page}` }
}

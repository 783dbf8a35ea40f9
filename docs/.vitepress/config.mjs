import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { markdown } from './markdown.mjs'

const DOCS = fileURLToPath(new URL('..', import.meta.url))

const guides = {
  Start: [
    'quickstart',
    'services',
    'schemas',
    'relations',
    'routes',
    'hooks',
    'errors',
    'query',
    'typescript'
  ],
  'Data and clients': ['sql', 'memory', 'http', 'koa', 'realtime', 'client', 'openapi', 'page'],
  'Who may call': ['authentication', 'access', 'oauth', 'security'],
  'In production': ['testing', 'deployment', 'scaling'],
  'From Feathers v5': ['migrating', 'compatibility'],
  'Write your own': ['writing-an-adapter', 'writing-a-transport', 'writing-a-dialect'],
  Reference: ['error-codes'],
  'How it is built': ['architecture', 'map']
}

assertComplete()

// biome-ignore lint/style/noDefaultExport: VitePress asks for it.
export default defineConfig({
  title: 'alula',
  description: 'Services, hooks and real-time APIs: the API of Feathers v5 in one package',
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
      '/': Object.entries(guides).map(([text, names]) => ({ text, items: names.map(toItem) })),
      '/api/': [
        { text: 'API reference', link: '/api/', items: listPages('api/alula', ['api/alula']).map(toItem) }
      ],
      '/decisions/': [{ text: 'Decisions', link: '/decisions/', items: listPages('decisions').map(toItem) }]
    }
  }
})

/** A page that nothing leads to is not read. */
function assertComplete() {
  const listed = Object.values(guides).flat()
  const orphan = listPages('.').find((page) => !listed.includes(page.replace('./', '')))

  if (orphan) throw new Error(`${orphan}.md is not in the sidebar`)
}

function listPages(folder, first = []) {
  const files = readdirSync(`${DOCS}${folder}`).filter((file) => file.endsWith('.md') && file !== 'index.md')

  return [...first, ...files.sort().map((file) => `${folder}/${file.replace('.md', '')}`)]
}

function toItem(page) {
  const [, heading] = /^# (.+)$/m.exec(readFileSync(`${DOCS}${page}.md`, 'utf8'))

  return { text: heading.replaceAll('`', ''), link: `/${page}` }
}

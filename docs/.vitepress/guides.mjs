// The guides in the order of the sidebar.
import { readdirSync, readFileSync } from 'node:fs'

export const SITE = {
  title: 'alula',
  description: 'REST and real-time APIs from plain objects, with the API of Feathers v5 in one package'
}

export const GUIDES = {
  Start: [
    'quickstart',
    'create',
    'services',
    'schemas',
    'relations',
    'routes',
    'nested',
    'hooks',
    'errors',
    'query',
    'typescript'
  ],
  Tutorial: [
    'tutorial/1-notes',
    'tutorial/2-schema-and-page',
    'tutorial/3-logins-and-access',
    'tutorial/4-sql',
    'tutorial/5-front-end',
    'tutorial/6-tests-and-production'
  ],
  'Data and clients': [
    'sql',
    'memory',
    'http',
    'koa',
    'realtime',
    'client',
    'live',
    'openapi',
    'page',
    'mcp'
  ],
  'Users and access': ['authentication', 'sessions', 'access', 'oauth', 'security'],
  'In production': [
    'testing',
    'idempotency',
    'deployment',
    'observability',
    'bundling',
    'scaling',
    'support'
  ],
  Recipes: listRecipes(),
  'From Feathers v5': ['migrating'],
  'Write your own': ['writing-an-adapter', 'writing-a-transport', 'writing-a-dialect'],
  'How it is built': ['architecture', 'roads', 'map'],
  Reference: ['error-codes', 'compatibility', 'comparison', 'stability']
}

/** Their numbers are the order of the sidebar. */
function listRecipes() {
  return readdirSync(new URL('../recipes', import.meta.url))
    .filter((file) => file.endsWith('.md'))
    .sort()
    .map((file) => `recipes/${file.replace('.md', '')}`)
}

/** The markdown of a page, such as `quickstart` or `decisions/001-…`. */
export function readPage(page) {
  return readFileSync(new URL(`../${page}.md`, import.meta.url), 'utf8')
}

/** The heading of a page, as plain text. */
export function toTitle(markdown) {
  return /^# (.+)$/m.exec(markdown)[1].replaceAll('`', '')
}

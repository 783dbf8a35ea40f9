import { expect, it } from 'vitest'
import { searchDocs } from '../../src/cli/docs.ts'

it('the section whose heading has the word comes first, and others are named with their lines', () => {
  const { code, output } = searchDocs(['patterns'])
  const [place, , heading] = output.split('\n')

  expect(code).toBe(0)
  expect(place).toMatch(/^docs\/(sql|query)\.md:\d+$/)
  expect(heading).toMatch(/^#+ Patterns$/)
  expect(output).toMatch(/\nAlso:\n {2}docs\/.+\.md:\d+ {2}#/)
})

it('a section has all of the words', () => {
  expect(searchDocs(['sqlite', 'Node 20']).output).toContain('## SQLite on Node 20')
})

it('a word that no guide has is an error that says where they are', () => {
  expect(searchDocs(['xyzzy'])).toMatchObject({
    code: 1,
    output: expect.stringContaining("No guide has 'xyzzy'")
  })
})

// Common questions, in the words that people search for.
it.each([
  ['project structure', 'create.md'],
  ['hot reload', 'create.md'],
  ['environment', 'deployment.md'],
  ['seed', 'create.md'],
  ['migration', 'tutorial/4-sql.md'],
  ['docker', 'deployment.md'],
  ['react', 'tutorial/5-front-end.md'],
  ['upload', 'http.md'],
  ['cors', 'http.md'],
  ['caching', 'recipes/16-caching.md'],
  ['roles', 'access.md'],
  ['tenant', 'sql.md'],
  ['transaction', 'sql.md'],
  ['refresh token', 'sessions.md'],
  ['cookie', 'security.md'],
  ['rate limit', 'recipes/22-middleware.md'],
  ['error format', 'errors.md'],
  ['pino', 'errors.md'],
  ['health', 'deployment.md'],
  ['background jobs', 'scaling.md'],
  ['cron', 'recipes/14-jobs.md'],
  ['webhook', 'recipes/13-webhooks.md'],
  ['download', 'recipes/12-uploads.md'],
  ['infinite', 'recipes/08-infinite-lists.md'],
  ['full text search', 'recipes/15-full-text-search.md'],
  ['language', 'recipes/17-languages.md'],
  ['api version', 'recipes/18-versions.md'],
  ['drizzle', 'recipes/19-drizzle.md'],
  ['prisma', 'recipes/20-prisma.md'],
  ['mongodb', 'recipes/21-mongodb.md'],
  ['next.js', 'recipes/11-nextjs.md'],
  ['vue', 'recipes/10-vue.md'],
  ['lambda', 'recipes/23-runtimes.md'],
  ['deno', 'recipes/23-runtimes.md'],
  ['tracing', 'observability.md'],
  ['metrics', 'observability.md'],
  ['backup', 'deployment.md'],
  ['kubernetes', 'deployment.md'],
  ['openapi client', 'openapi.md']
])('%s is answered by %s', (words, file) => {
  expect(searchDocs([words]).output).toMatch(new RegExp(`^docs/${file}:`))
})

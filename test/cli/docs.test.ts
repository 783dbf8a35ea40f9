import { join } from 'node:path'
import { expect, it } from 'vitest'
import { searchDocs } from '../../src/cli/docs.ts'
import { buildCommand, createFolder, runNode } from '../support/command.ts'

it('the section whose heading has the word comes first, and others are named with their lines', () => {
  const { code, output } = searchDocs(['patterns'])
  const [place, , heading] = output.split('\n')

  expect(code).toBe(0)
  expect(place).toMatch(/^docs\/(sql|query)\.md:\d+$/)
  expect(heading).toMatch(/^#+ Patterns$/)
  expect(output).toMatch(/\nAlso:\n {2}docs\/.+\.md:\d+ {2}#/)
})

it('a section with all of the words comes before those with some', () => {
  expect(searchDocs(['sqlite', 'Node 20']).output).toContain('## SQLite on Node 20')
})

it('words that no guide has are named, and the others are searched for', () => {
  const { code, output } = searchDocs(['xyzzy', 'passkeys'])

  expect(code).toBe(0)
  expect(output).toMatch(/^No guide has 'xyzzy'\.\n\ndocs\/recipes\/04-passkeys\.md:/)
})

it('a word that no guide has is an error that says where they are', () => {
  expect(searchDocs(['xyzzy'])).toMatchObject({
    code: 1,
    output: expect.stringContaining("No guide has 'xyzzy'")
  })
})

it('a word that every object has as a member is searched for like any other', () => {
  expect(searchDocs(['constructor']).code).toBe(0)
})

it('an application may be in a folder that has the name of one of the docs', async () => {
  const folder = createFolder({
    'docs/api/docs/owner.md': '# Owner\n\nWhose records they are.\n',
    'docs/api/docs/api/generated.md': '# Generated\n\nThe owner of a record.\n'
  })
  const command = await buildCommand(join(folder, 'docs/api'))
  const { stdout } = await runNode([command, 'docs', 'owner'], { cwd: folder })

  expect(stdout).toBe('docs/api/docs/owner.md:1\n\n# Owner\n\nWhose records they are.\n')
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
  ['upload', 'recipes/12-uploads.md'],
  ['cors', 'http.md'],
  ['caching', 'recipes/16-caching.md'],
  ['roles', 'access.md'],
  ['tenant', 'recipes/07-tenants.md'],
  ['transaction', 'sql.md'],
  ['refresh token', 'sessions.md'],
  ['cookie', 'security.md'],
  ['rate limit', '(?:security|recipes/22-middleware).md'],
  ['error format', 'errors.md'],
  ['pino', 'errors.md'],
  ['health', 'deployment.md'],
  ['background jobs', 'recipes/14-jobs.md'],
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
  ['openapi client', 'openapi.md'],
  // Other words for the same.
  ['seeds', 'create.md'],
  ['graceful shutdown', '(?:services|http).md'],
  ['horizontal scaling', 'scaling.md'],
  ['rate limiting', '(?:security|recipes/22-middleware).md'],
  ['multi-tenant', 'recipes/07-tenants.md'],
  ['multi tenancy', 'recipes/07-tenants.md'],
  ['rbac', 'access.md'],
  ['roles permissions', 'access.md'],
  ['social login', 'oauth.md'],
  ['oauth', 'oauth.md'],
  ['2fa', 'recipes/03-totp.md'],
  ['verify email', 'recipes/01-email-verification.md'],
  ['forgot password', 'recipes/01-email-verification.md'],
  ['i18n', 'recipes/17-languages.md'],
  ['aggregates', 'relations.md'],
  ['pagination', 'query.md'],
  ['cloudflare workers', 'recipes/23-runtimes.md'],
  ['serverless', 'recipes/23-runtimes.md'],
  ['presigned url', 'recipes/12-uploads.md'],
  ['upgrade', 'deployment.md'],
  ['deploy', 'deployment.md'],
  ['locale', 'recipes/17-languages.md'],
  ['how to test', 'testing.md'],
  // Words that coding agents asked with.
  ['unique constraint Conflict', 'sql.md'],
  ['foreign key onDelete cascade', 'sql.md'],
  ['date without time', '(?:schemas|sql).md'],
  ['publish event all logged in users', 'realtime.md'],
  ['proveExposure callers', 'access.md']
])('%s is answered by %s', (words, file) => {
  expect(searchDocs([words]).output).toMatch(new RegExp(`^docs/${file}:`))
})

import { configDefaults, defineConfig } from 'vitest/config'
import config from './vitest.config.ts'

/** What takes most of the time: `npm test` runs it, and `npm run check` does not. */
export const LONG = [
  // The same calls to Feathers v5, the suites of others against all databases, and further versions of PostgreSQL.
  'test/compat/**',
  'test/kysely/{catalog,conformance,official}.test.ts',
  // Documents, examples and commands as processes of their own, and pages in a browser.
  'test/{bundles,cli,deployment,docs,recipes,runtimes,types}/**',
  'packages/alula-migrate/**',
  '**/*{chat,docs,example,realworld}*.test.ts',
  'packages/page/test/page*.test.ts',
  'test/client/shared-{events,logins}.test.ts',
  'test/mcp/conformance.test.ts',
  'test/{custom-adapter,custom-strategy,error-codes,existing-express-app,fetch-handler,release}.test.ts',
  'test/{core/single-copy,oauth/secrets}.test.ts',
  'packages/alula-testing/test/adapters/under-node.test.ts',
  // What needs a build.
  'test/{client/bundle,express/hosts,tools/agents,transports/hidden-classes}.test.ts',
  // Random and hostile input, many records, slow clients, dear passwords, and servers that fail.
  'test/**/*{cut-off,dear,fuzz,hostile,kill,large,lost,outage,prefetch,processes,random,rivals,slow}*.test.ts',
  'test/security/application-code/**',
  'test/{log/unread,security/unread-responses}.test.ts',
  'packages/alula-testing/test/adapters/random.test.ts',
  'test/{access/proof,kysely/columns,node/pipelining,schema/{leaks,many-types},stack,tools/roads}.test.ts',
  'test/security/{aborted-logins,login-guessing,redirects}.test.ts',
  'test/sync/revocation.test.ts',
  // Logins through many providers.
  'test/oauth/{cookies,delivery,email-addresses,failing-providers,form-posts,linking,new-users,refusals}.test.ts',
  'packages/alula-testing/test/{contract,contract-envelopes,contract-success,proof-faults}.test.ts',
  // Many logins, connections and processes, one after another.
  'test/sessions/{browser,model,refresh}.test.ts',
  'test/live/{connections,live}.test.ts',
  'test/login-budget/{limits,waiting}.test.ts',
  'test/socketio/{admission,authentication,closing,closing-calls}.test.ts',
  'test/sync/{chaos,gaps,login-budget}.test.ts',
  'test/{client/events,client/socket-login,kysely/samples,module-state,oauth/login,security/waiting-calls}.test.ts'
]

/** What speaks HTTP does so in one way, and two of four stores need no server: memory, and SQLite. */
const CHOSEN = { TEST_TRANSPORTS: 'a direct call;a server of Node;Socket.IO', TEST_DATABASE: 'SQLite' }

export default defineConfig({
  ...config,
  test: { ...config.test, env: CHOSEN, exclude: [...configDefaults.exclude, ...LONG] }
})

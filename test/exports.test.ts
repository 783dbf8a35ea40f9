import * as testing from 'alula-testing'
import * as adapterTests from 'alula-testing/adapters'
import { expect, it } from 'vitest'
import * as access from '../src/access.ts'
import * as adapter from '../src/adapter.ts'
import * as authentication from '../src/authentication.ts'
import * as client from '../src/client.ts'
import * as errors from '../src/errors.ts'
import * as events from '../src/events.ts'
import * as express from '../src/express.ts'
import * as fetch from '../src/fetch.ts'
import * as hooks from '../src/hooks.ts'
import * as idempotency from '../src/idempotency.ts'
import * as index from '../src/index.ts'
import * as koa from '../src/koa.ts'
import * as kysely from '../src/kysely.ts'
import * as mcp from '../src/mcp.ts'
import * as memory from '../src/memory.ts'
import * as node from '../src/node.ts'
import * as oauth from '../src/oauth.ts'
import * as openapi from '../src/openapi.ts'
import * as otel from '../src/otel.ts'
import * as plugin from '../src/plugin.ts'
import * as query from '../src/query.ts'
import * as schema from '../src/schema.ts'
import * as socketio from '../src/socketio.ts'
import * as sync from '../src/sync.ts'
import * as transport from '../src/transport.ts'

// A name that is exported is a promise. Adding or removing one shows here.
it.each(
  Object.entries({
    access,
    adapter,
    adapterTests,
    authentication,
    client,
    errors,
    events,
    express,
    fetch,
    hooks,
    idempotency,
    index,
    koa,
    kysely,
    mcp,
    memory,
    node,
    oauth,
    openapi,
    otel,
    plugin,
    query,
    schema,
    socketio,
    sync,
    testing,
    transport
  })
)('the names of %s', (_name, entry) => {
  expect(Object.keys(entry).sort().join('\n')).toMatchSnapshot()
})

// What the CPU time of a request is spent on: folders of `src`, packages and Node, for the roads whose figures are above what
// was aimed at, beside a peer that does the same. A profile costs time itself: shares count, and not their sum.
import { compareParts } from './http.mjs'
import { toFindOf20, toRequests } from './messages.mjs'

/** As many as in `schema`. */
const FEW = 100

const { 'get by id': get, create, patch } = toRequests()
const { create: createFew } = toRequests(FEW)

await compareParts({ servers: ['alula-node', 'fastify'], operations: { get, create, patch } })
await compareParts({ servers: ['alula-listen', 'koa-by-hand'], operations: { get } })
await compareParts({
  servers: ['schema-zod', 'schema-none', 'schema-hono'],
  count: FEW,
  operations: {
    'find of 20': toFindOf20(FEW),
    create: createFew
  }
})

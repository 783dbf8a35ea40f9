// What a schema costs over HTTP: the CPU time that a server spends on creating a record and on a page of 20, with the data
// and the query checked, against alula without a schema.
import { compareServers } from './http.mjs'
import { toFindOf20, toRequests } from './messages.mjs'

/** Few, so that what is measured is not the search. */
const COUNT = 100

const { create } = toRequests(COUNT)

await compareServers({
  servers: {
    'schema-none': 'alula without a schema',
    'schema-zod': 'alula, Zod',
    'schema-typebox': 'alula, TypeBox',
    'schema-fastify': 'Fastify 5, JSON Schema',
    'schema-hono': 'Hono, Zod validator',
    'schema-feathers': 'Feathers v5, TypeBox'
  },
  compared: ['schema-none', 'schema-zod', 'schema-typebox'],
  count: COUNT,
  operations: {
    'find of 20': toFindOf20(COUNT),
    create
  }
})

// A page of a hundred times as many records as in `rest`: which server looks at each of them?
import { compareServers, pickServers } from './http.mjs'
import { toRequests } from './messages.mjs'

const COUNT = 100_000

const { find } = toRequests(COUNT)

await compareServers({
  servers: pickServers('by-hand', 'fastify', 'feathers', 'alula-listen', 'alula-node'),
  operations: { 'find 100k': find },
  rounds: 3,
  count: COUNT,
  // Each takes milliseconds.
  turns: 5,
  amounts: { 'find 100k': 39 },
  connections: 8
})

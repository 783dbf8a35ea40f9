// What a call of a tool costs: beside the same call as a message of a socket, and what the package of the protocol costs by
// itself, which reads, checks and copies each message. All in one process, in CPU time, with a token that is verified.
import { createMcpHandler, Server } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { access, owner } from '../dist/access.js'
import { createHandler } from '../dist/fetch.js'
import { alula } from '../dist/index.js'
import { mcp } from '../dist/mcp.js'
import { memory } from '../dist/memory.js'
import { schema } from '../dist/schema.js'
import { handleSocket } from '../dist/transport.js'
import { formatSpread, printTable, runRounds, scaleRounds } from './lib.mjs'
import { addTokenLogins } from './token-logins.mjs'

const ROUNDS = 10
const WARMUP = 3000
const CALLS = 3000
const RESOURCE = 'http://localhost/mcp'
const ARGUMENTS = { query: { $limit: 10 } }

const { app, tokens } = await createApp()
const served = createHandler(app, { logger: false })
const bare = alula()
const mounted = createHandler(bare, { logger: false })
const text = await readText(await served(toRequest(tokens.mcp)))
const alone = createMcpHandler(() => createAlone(text))
bare.mount('/mcp', (request) => alone.fetch(request))
await bare.setup()

const message = {
  method: 'find',
  path: 'notes',
  args: [ARGUMENTS.query],
  connection: {
    provider: 'socketio',
    headers: {},
    authentication: { strategy: 'jwt', accessToken: tokens.api }
  }
}

const ways = {
  'a message of a socket': () => handleSocket(app, message, () => undefined),
  'the package alone': () => alone.fetch(toRequest(tokens.mcp)).then(readText),
  'the package alone, mounted in an application': () => mounted(toRequest(tokens.mcp)).then(readText),
  'a tool': () => served(toRequest(tokens.mcp)).then(readText)
}

const results = await runRounds(Object.keys(ways), scaleRounds(ROUNDS), async (name) => {
  await repeat(ways[name], WARMUP)

  const start = process.cpuUsage()

  await repeat(ways[name], CALLS)

  const { user, system } = process.cpuUsage(start)

  return (user + system) / CALLS
})

printTable(
  'find of 10 records with an owner, µs of CPU time',
  ['call', 'µs'],
  [...results].map(([name, rounds]) => [name, formatSpread(rounds, 0)])
)

async function repeat(run, count) {
  for (let index = 0; index < count; index++) await run()
}

async function createApp() {
  const app = alula()
  const Note = z.object({ id: z.int(), text: z.string(), ownerId: z.int() })
  const store = Object.fromEntries(
    Array.from({ length: 100 }, (_, id) => [id, { id, text: `Note ${id}`, ownerId: id % 2 }])
  )

  const authentication = addTokenLogins(app)

  app.use('notes', memory({ store, paginate: { default: 10, max: 100 } }), {
    methods: ['find', 'get', 'create', 'patch', 'remove'],
    schema: schema(Note, { server: { ownerId: ({ params }) => params.user.id } }),
    access: access({ all: owner('ownerId') })
  })
  app.configure(mcp({ resource: RESOURCE }))
  await app.setup()

  const issue = async (jwtOptions) =>
    (await authentication.issueToken({ user: { id: 1 } }, { jwtOptions })).accessToken

  return {
    app,
    tokens: { api: await issue({}), mcp: await issue({ audience: RESOURCE, header: { typ: 'mcp+jwt' } }) }
  }
}

/** The smallest server that returns the same. */
function createAlone(result) {
  const server = new Server({ name: 'alone', version: '1.0.0' }, { capabilities: { tools: {} } })

  server.setRequestHandler('tools/call', () => ({ content: [{ type: 'text', text: result }] }))

  return server
}

async function readText(response) {
  const { result } = await response.json()

  if (!result || result.isError) throw new Error(`The call failed: ${JSON.stringify(result)}`)

  return result.content[0].text
}

function toRequest(token) {
  return new Request(RESOURCE, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'notes_find',
      Authorization: `Bearer ${token}`
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'notes_find',
        arguments: ARGUMENTS,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'a benchmark', version: '1.0.0' },
          'io.modelcontextprotocol/clientCapabilities': {}
        }
      }
    })
  })
}

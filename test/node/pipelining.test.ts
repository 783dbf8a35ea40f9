import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { limitPipelining } from '../../src/node.ts'
import { runProgram } from '../support/program.ts'
import { until } from '../support/until.ts'
import {
  createClient,
  createGate,
  listen,
  MAX_REQUESTS,
  open,
  readWords,
  toGets,
  toRange
} from './pipelines.ts'

const toPost = (n: number, length: number, padding = 0) =>
  `POST /${n} HTTP/1.1\r\nHost: a\r\nX-Padding: ${'x'.repeat(padding)}\r\nContent-Length: ${length}\r\n\r\n${'x'.repeat(length)}`

async function fetchText(port: number, path = '/'): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}${path}`)).text()
}

/** Gives the server time: each round trip is some turns of its event loop. */
async function takeTurns(port: number): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await fetchText(port)
}

/** A service that responds to `/0` with a hundred kilobytes, and tells on `/usage` what that costs. */
const SERVICES = `
  const makeServices = (app) => app
    .use('usage', { find: async () => ({ begun, memory: process.memoryUsage.rss() }) })
    .use(':n', {
      find: async ({ route }) => {
        begun++
        await new Promise(setImmediate)

        return ('/' + route.n + ' ').padEnd(100_000, 'x')
      }
    })
`

/** The servers that have limits, as programs that say on which port they listen. */
const SERVERS: { readonly [name: string]: string } = {
  'limitPipelining of a server': `
    import { createServer } from 'node:http'
    import { limitPipelining } from 'alula/node'

    let begun = 0
    const server = createServer((request, response) => {
      if (request.url === '/usage') {
        response.end(JSON.stringify({ begun, memory: process.memoryUsage.rss() }))
        return
      }

      begun++
      setImmediate(() => response.end((request.url + ' ').padEnd(100_000, 'x')))
    })

    limitPipelining(server)
    server.listen(0, '127.0.0.1', () => console.log('port ' + server.address().port))
  `,
  'app.listen of Express': `
    import { alula } from 'alula'
    import express, { rest } from 'alula/express'

    let begun = 0
    ${SERVICES}
    const app = express(alula()).configure(rest()).set('etag', false)

    makeServices(app)

    const server = await app.listen(0, '127.0.0.1')

    console.log('port ' + server.address().port)
  `,
  'toListener in a plain server': `
    import { createServer } from 'node:http'
    import { alula } from 'alula'
    import { toListener } from 'alula/node'

    let begun = 0
    ${SERVICES}
    const app = makeServices(alula())

    await app.setup()

    const server = createServer(toListener(app, { etag: false }))

    server.listen(0, '127.0.0.1', () => console.log('port ' + server.address().port))
  `
}

/** How many requests clients send: the first one reads its responses in the end. */
const COUNTS = [500, 2500, 2500, 2500]

// Without a limit the responses take 800 MB.
it.each(Object.entries(SERVERS))(
  'clients that pipeline 8,000 requests and read nothing cost less than 200 MB, and still get them all: %s',
  async (_name, code) => {
    const program = runProgram(code)
    const port = Number((await program.waitFor('port ')).split(' ')[1])
    const getUsage = async () => JSON.parse(await fetchText(port, '/usage'))
    const before = await getUsage()
    const clients = COUNTS.map((count) => createClient(port, toGets(count)))
    const usages: any[] = []

    // A connection that reads nothing is not read from either, so that this number is soon reached.
    await until(async () => {
      usages.push(await getUsage())
      expect(usages.at(-1).begun).toBeGreaterThanOrEqual(clients.length * 10)
    })
    for (let turn = 0; turn < 50; turn++) usages.push(await getUsage())
    expect(Math.max(...usages.map(({ memory }) => memory)) - before.memory).toBeLessThan(200_000_000)

    const words = await readWords(clients[0] as Socket, 500)

    expect(words.map((word) => word.replace('"', ''))).toEqual(toRange(500).map((n) => `/${n}`))
  }
)

it('of a connection, a hundred requests are in flight; the others come in order when there is room', async () => {
  const gate = createGate()
  const port = await open(gate.listener)
  const client = createClient(port, toGets(1000))

  await until(() => expect(gate.begun).toHaveLength(MAX_REQUESTS))
  await takeTurns(port)
  expect(gate.begun).toHaveLength(MAX_REQUESTS)
  gate.open()

  const all = toRange(1000).map((n) => `/${n}`)

  expect(await readWords(client, 1000)).toEqual(all)
  expect(gate.begun).toEqual(all)
  // The connection is read from again.
  client.write(toGets(200))
  expect(await readWords(client, 200)).toEqual(all.slice(0, 200))
})

it('while more bytes wait for the client than allowed, no further request is let through', async () => {
  let begun = 0
  // More than the operating system takes.
  const large = 'x'.repeat(20_000_000)
  const port = await open(
    (request, response) => {
      if (request.url !== '/') begun++
      response.end(request.url === '/' ? 'here' : `${request.url} ${large}`)
    },
    { bytes: 1000 }
  )
  const client = createClient(port, toGets(4))

  await until(() => expect(begun).toBe(1))
  await takeTurns(port)
  expect(begun).toBe(1)
  expect(await readWords(client, 4)).toEqual(toRange(4).map((n) => `/${n}`))
})

/** In bytes. */
const LARGE = 5_000_000

const repeat = (length: number) => toRange(Math.ceil(LARGE / (100 + length))).map((n) => toPost(n, length))

// Each is several times what the server may have read, whatever else fits between the two.
it.each([
  // The first of them are many in one chunk.
  ['no bodies', toRange(1500).map((n) => toPost(n, 0, n < 1000 ? 0 : 10_000))],
  ['small bodies', repeat(1000)],
  ['bodies larger than the buffer of a request', repeat(20_000)],
  ['one large body that is held', [...toRange(101).map((n) => toPost(n, 0)), toPost(101, LARGE)]]
])('nothing is read from a connection whose requests are held: %s', async (_name, requests) => {
  const gate = createGate()
  const server = limitPipelining(createServer(gate.listener))
  const sockets: Socket[] = []

  server.on('connection', (socket) => sockets.push(socket))

  const port = await listen(server)
  const client = createClient(port, requests.join(''))

  await until(() => expect(gate.begun).toHaveLength(MAX_REQUESTS))
  await takeTurns(port)

  const [{ bytesRead }] = sockets as [Socket]

  await takeTurns(port)
  expect(sockets[0]?.bytesRead).toBe(bytesRead)
  expect(bytesRead).toBeLessThan(requests.slice(0, MAX_REQUESTS).join('').length + 200_000)
  gate.open()
  expect(await readWords(client, requests.length)).toEqual(toRange(requests.length).map((n) => `/${n}`))
})

it('bodies of requests that were held are complete', async () => {
  const port = await open(async (request, response) => {
    let length = 0

    for await (const chunk of request) length += chunk.length
    response.end(`${length} `)
  })
  const lengths = toRange(1000).map((n) => (n % 100) * (n % 7 === 0 ? 2000 : 3))
  const client = createClient(port, lengths.map((length, n) => toPost(n, length)).join(''))

  expect(await readWords(client, 1000)).toEqual(lengths.map(String))
})

it('requests of HTTP/1.0 get their responses', async () => {
  const port = await open((request, response) => {
    const body = `${request.url} `

    response.setHeader('Content-Length', body.length)
    response.end(body)
  })
  const kept = createClient(port, toGets(300, '1.0', 'Connection: keep-alive\r\n'))
  const single = createClient(port, toGets(1, '1.0'))

  expect(await readWords(kept, 300)).toEqual(toRange(300).map((n) => `/${n}`))
  expect(await readWords(single, 1)).toEqual(['/0'])
  await once(single.resume(), 'close')
})

it('requests that are held are dropped when their client goes away', async () => {
  const gate = createGate()
  const server = limitPipelining(createServer(gate.listener))
  const closed = new Promise((resolve) => {
    server.once('connection', (socket) => socket.once('close', resolve))
  })
  const port = await listen(server)
  const client = createClient(port, toGets(300))

  await until(() => expect(gate.begun).toHaveLength(MAX_REQUESTS))
  client.resetAndDestroy()
  await takeTurns(port)
  // Nothing is read, so that the server notices when it sends.
  gate.open()
  await closed
  await takeTurns(port)
  expect(gate.begun).toHaveLength(MAX_REQUESTS)
})

it('requests that are held are dropped after a response that closes the connection', async () => {
  const begun: unknown[] = []
  const port = await open(
    (request, response) => {
      begun.push(request.url)
      response.setHeader('Connection', 'close')
      setImmediate(() => response.end(`${request.url} `))
    },
    { requests: 1 }
  )
  const client = createClient(port, toGets(3))

  expect(await readWords(client, 1)).toEqual(['/0'])
  await once(client.resume(), 'close')
  expect(begun).toEqual(['/0'])
})

it('a request that was held runs in no context of another one', async () => {
  const storage = new AsyncLocalStorage<string>()
  const seen: unknown[] = []
  const port = await open(
    (request, response) => {
      seen.push(storage.getStore())
      storage.run(request.url as string, () => setImmediate(() => response.end(`${request.url} `)))
    },
    { requests: 1 }
  )

  await readWords(createClient(port, toGets(3)), 3)
  expect(seen).toEqual([undefined, undefined, undefined])
})

it('a response that waits for no other keeps the methods of Node', async () => {
  // Methods of their own kept all calls in memory until a full garbage collection: 20 MB more after 3,000 requests.
  const own: string[] = []
  const port = await open((request, response) => {
    own.push(...Object.keys(response).filter((name) => name === 'end'))
    response.end(request.url)
  })

  await fetchText(port, '/1')
  expect(own).toEqual([])
})

it('what a response adds after its client has ended its side counts too', async () => {
  const large = 'x'.repeat(20_000_000)
  const sockets: Socket[] = []
  const port = await open(
    (request, response) => {
      sockets.push(request.socket)
      response.write(large)
      request.socket.once('end', () => response.end(large))
    },
    { totalBytes: 1000 }
  )

  for (const count of [1, 2]) {
    const client = createClient(port, toGets(1))

    await until(() => expect(sockets).toHaveLength(count))
    client.end()
    await until(() => expect(sockets[count - 1]?.readableEnded).toBe(true))
  }

  await until(() => expect(sockets[0]?.destroyed).toBe(true))
})

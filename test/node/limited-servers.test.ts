import { createServer, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { connect as connectSecurely } from 'node:tls'
import original from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createPipelineGate } from '../../src/node/pipelining.ts'
import { limitPipelining, prepareClose } from '../../src/node.ts'
import { createTypeError } from '../../src/utils/developer-error.ts'
import { certificate } from '../support/certificate.ts'
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

it('all listeners of a server come after the limits, also those of frameworks', async () => {
  const gate = createGate()
  const app = original()
  let listened = 0

  app.use(gate.listener)

  const server = createServer(app)

  server.on('request', () => listened++)

  const port = await listen(limitPipelining(server))
  const client = createClient(port, toGets(300))

  await until(() => expect(gate.begun).toHaveLength(MAX_REQUESTS))
  expect(listened).toBe(MAX_REQUESTS)
  gate.open()
  expect(await readWords(client, 300)).toHaveLength(300)
})

it('two gates on a connection hold a request once', async () => {
  const gate = createGate()
  const inner = createPipelineGate({ requests: 50 })
  const port = await open((request, response) => {
    inner(request, response, () => gate.listener(request, response))
  })
  const client = createClient(port, toGets(300))

  await until(() => expect(gate.begun).toHaveLength(MAX_REQUESTS))
  gate.open()
  expect(await readWords(client, 300)).toHaveLength(300)
})

it('a gate that a request gets to after its response takes no place', async () => {
  const inner = createPipelineGate({ requests: 1 })
  let late = 0
  const port = await listen(
    createServer((request, response) => {
      response.end(`${request.url} `)
      response.once('close', () => setImmediate(inner, request, response, () => late++))
    })
  )

  expect(await readWords(createClient(port, toGets(3)), 3)).toHaveLength(3)
  await until(() => expect(late).toBe(3))
})

it('a server that closes responds to the requests of a connection that it holds', async () => {
  const gate = createGate()
  const server = createServer(gate.listener)
  const close = prepareClose(limitPipelining(server, { requests: 1 }))
  const port = await listen(server)
  const client = createClient(port, toGets(3))

  await until(() => expect(gate.begun).toHaveLength(1))

  const closed = close()

  // From then on, responses announce the end of their connection.
  await until(() => expect(server.listening).toBe(false))
  gate.open()
  expect(await readWords(client, 3)).toEqual(['/0', '/1', '/2'])
  client.resume()
  await closed
})

it('a second call for a server does nothing', async () => {
  const gate = createGate()
  const server = createServer(gate.listener)

  expect(limitPipelining(limitPipelining(server, { requests: 10 }), { requests: 5 })).toBe(server)

  const port = await listen(server)
  const client = createClient(port, toGets(100))

  await until(() => expect(gate.begun).toHaveLength(10))
  gate.open()
  expect(await readWords(client, 100)).toHaveLength(100)
  expect(gate.begun).toHaveLength(100)
})

it.skipIf(!certificate)('servers of HTTPS have limits too', async () => {
  const gate = createGate()
  const port = await listen(
    limitPipelining(createSecureServer({ key: certificate, cert: certificate }, gate.listener)) as Server
  )
  const client = connectSecurely({ port, rejectUnauthorized: false })

  onTestFinished(() => void client.destroy())
  client.write(toGets(3000))
  await until(() => expect(gate.begun).toHaveLength(MAX_REQUESTS))
  gate.open()
  expect(await readWords(client, 3000)).toEqual(toRange(3000).map((n) => `/${n}`))
})

describe('what cannot be limited is refused', () => {
  it.each([undefined, {}, () => undefined, { emit() {} }])('%s is not a server', (value: any) => {
    expect(() => limitPipelining(value)).toThrow(
      createTypeError('ALULA_INVALID_ARGUMENT', 'limitPipelining expects a server of node:http or node:https')
    )
  })

  it.each(['requests', 'bytes', 'totalBytes'])('%s is a positive integer', (name) => {
    for (const value of [0, -1, 1.5, '10', null, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => limitPipelining(createServer(), { [name]: value } as any)).toThrow(
        `Invalid option '${name}' of limitPipelining: expected a positive integer, got `
      )
    }
  })

  it('a misspelt option', () => {
    expect(() => limitPipelining(createServer(), { request: 1 } as any)).toThrow(
      "Unknown option 'request' of limitPipelining. Did you mean 'requests'?"
    )
  })
})

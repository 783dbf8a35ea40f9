import { createServer, request } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { expect, it, vi } from 'vitest'
import { prepareClose } from '../../src/node.ts'
import { defer } from '../support/deferred.ts'

it('a server of https is refused', () => {
  expect(() => prepareClose(createSecureServer() as any)).toThrow(
    'prepareClose expects a server of node:http'
  )
})

it('a server that does not listen is closed already', async () => {
  await prepareClose(createServer())()
})

it('a request that never arrives in full does not hold up the end', async () => {
  const server = createServer((incoming, response) => incoming.resume().on('end', () => response.end()))
  const close = prepareClose(server)

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  const arrived = new Promise((resolve) => server.once('request', resolve))
  const { port } = server.address() as AddressInfo
  const slow = request({ port, host: '127.0.0.1', method: 'POST', headers: { 'Content-Length': 100 } })

  slow.on('error', () => undefined)
  slow.write('half')
  await arrived
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })

  const closing = close()

  while (server.listening) await vi.advanceTimersByTimeAsync(50)
  await vi.advanceTimersByTimeAsync(3000)
  await closing
})

it('an answer that has begun is finished, and its connection ended', async () => {
  const finish = defer()
  const begun = defer()
  const server = createServer(async (_request, response) => {
    response.write('first ')
    begun.resolve()
    await finish.promise
    response.end('last')
  })
  const close = prepareClose(server)

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  let received = ''

  socket.on('data', (chunk) => {
    received += chunk
  })
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await begun.promise

  const closed = close()

  finish.resolve()
  await closed

  expect(received).toContain('first ')
  expect(received).toContain('last')
})

it('a second call waits for what the first one waits for', async () => {
  const finish = defer()
  const begun = defer()
  const server = createServer(async (_request, response) => {
    begun.resolve()
    await finish.promise
    response.end('done')
  })
  const close = prepareClose(server)

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  const answer = fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)

  await begun.promise

  let isClosed = false
  const closing = [close(), close()]

  while (server.listening) await new Promise((resolve) => setImmediate(resolve))
  closing.push(close())
  void closing[2]?.then(() => {
    isClosed = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(isClosed).toBe(false)
  finish.resolve()
  await Promise.all(closing)
  expect(await (await answer).text()).toBe('done')
})

import { once } from 'node:events'
import { request as send } from 'node:http'
import { connect } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { defer } from '../support/deferred.ts'
import { bodyOf, createEcho, JSON_HEADERS, lastGet, open, readAll, statusOf, writeTo } from './support.ts'

describe('a body', () => {
  it('past the limit is refused before it has come, and the connection is closed', async () => {
    const { exchange } = await open(createEcho(), { bodyLimit: 1000 })
    // Nothing follows the head, and the answer comes all the same.
    const answer = await exchange(
      'POST /things HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1001\r\n\r\n'
    )

    expect(statusOf(answer)).toBe(413)
    expect(answer).toMatch(/^connection: close\r$/im)
    expect(bodyOf(answer)).toMatchObject({
      name: 'PayloadTooLarge',
      message: 'The request body is larger than the server accepts'
    })
  })

  it('in chunks is read up to the limit and no further', async () => {
    const { exchange } = await open(createEcho(), { bodyLimit: 1000 })
    const chunk = `1f4\r\n${' '.repeat(500)}\r\n`
    // The last chunk never comes.
    const answer = await exchange(
      `POST /things HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(3)}`
    )

    expect(statusOf(answer)).toBe(413)
    expect(answer).toMatch(/^connection: close\r$/im)
  })

  it('may be as long as the limit, and a byte longer it may not', async () => {
    const { request } = await open(createEcho(), { bodyLimit: 20 })
    const status = async (body: string) =>
      (await request('/things', { method: 'POST', headers: JSON_HEADERS, body })).status

    expect(await status(`{"a":"${'x'.repeat(12)}"}`)).toBe(201)
    expect(await status(`{"a":"${'x'.repeat(13)}"}`)).toBe(413)
    // Six bytes in three characters.
    expect(await status(`{"a":"${'x'.repeat(9)}üü"}`)).toBe(413)
  })

  it('that is not read is let through: the answer comes to a client that sends all of it first', async () => {
    const { port } = await open(createEcho(), { bodyLimit: 1000 })
    const length = 5_000_000
    const client = send({ port, method: 'POST', path: '/things', headers: { 'Content-Length': length } })
    const answered = once(client, 'response')

    // The server may have closed the connection by the time that the last byte leaves.
    client.on('error', () => undefined)
    client.end(Buffer.alloc(length))

    const [response] = await answered

    response.resume()
    expect(response.statusCode).toBe(413)
  })

  it('that belongs to an answer which did not wait for it ends the connection', async () => {
    const { exchange } = await open(createEcho())
    const answer = await exchange(
      'POST /unknown HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n'
    )

    expect(statusOf(answer)).toBe(404)
    expect(answer).toMatch(/^connection: close\r$/im)
  })

  it.each([
    ['gzip', gzipSync],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync]
  ])('in the encoding %s is decompressed, up to the limit', async (encoding, compress) => {
    const { request } = await open(createEcho(), { bodyLimit: 1000 })
    const send = (body: Uint8Array) =>
      request('/things', { method: 'POST', headers: { ...JSON_HEADERS, 'Content-Encoding': encoding }, body })
    const broken = await send(Buffer.from('{"a":1}'))

    expect(await (await send(compress('{"a":1}'))).json()).toEqual({ a: 1 })
    expect((await send(compress(JSON.stringify({ a: 'x'.repeat(2000) })))).status).toBe(413)
    expect(broken.status).toBe(400)
    expect(await broken.json()).toMatchObject({ message: 'Invalid request body: it cannot be decompressed' })
  })

  it.each(['x', 'gzip, gzip', 'constructor'])('in the encoding %s is a 415', async (encoding) => {
    const { request } = await open(createEcho())
    const response = await request('/things', {
      method: 'POST',
      headers: { ...JSON_HEADERS, 'Content-Encoding': encoding },
      body: gzipSync('{"a":1}')
    })

    expect(response.status).toBe(415)
    expect(await response.json()).toMatchObject({
      message: "Unsupported content encoding: expected 'identity', 'gzip', 'deflate' or 'br'"
    })
  })

  it('may begin with a byte order mark, one of them', async () => {
    const { request } = await open(createEcho())
    const post = (body: string) => request('/things', { method: 'POST', headers: JSON_HEADERS, body })

    expect(await (await post('\ufeff{"a":1}')).json()).toEqual({ a: 1 })
    expect(await (await post('{"a":"\ufeff"}')).json()).toEqual({ a: '\ufeff' })
    expect((await post('\ufeff\ufeff{"a":1}')).status).toBe(400)
    expect(await (await post('\ufeff')).json()).toEqual({})
  })

  it('whose characters are split between chunks stays whole', async () => {
    const { port, server } = await open(createEcho())
    const bytes = Buffer.from('{"text":"ü€😀"}')
    const socket = connect(port, '127.0.0.1')
    const answer = readAll(socket)
    const [request] = await Promise.all([
      once(server, 'request').then(([request]) => request),
      socket.write(
        'POST /things HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n'
      )
    ])

    for (const byte of bytes) {
      const heard = once(request, 'data')

      socket.write(Buffer.concat([Buffer.from('1\r\n'), Buffer.of(byte), Buffer.from('\r\n')]))
      await heard
    }
    socket.write('0\r\n\r\n')

    expect((await answer).slice(-16)).toContain('ü€😀')
  })

  it('that breaks off is not given to the service, and leaves nothing behind', async () => {
    const created: unknown[] = []
    const lines: string[] = []
    const app = alula().use('things', { create: async (data: any) => created.push(data) })
    const { port, server, request } = await open(app, {
      logger: { error: (line) => lines.push(line), info: (line) => lines.push(line) }
    })
    const ended = new Promise((resolve) => {
      server.once('request', (incoming, response) => {
        incoming.once('data', () => socket.destroy())
        response.once('close', resolve)
      })
    })
    const socket = writeTo(
      port,
      'POST /things HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"a":1}'
    )

    await ended

    const next = await request('/things', { method: 'POST', headers: JSON_HEADERS, body: '{"a":2}' })

    expect(next.status).toBe(201)
    expect(created).toEqual([{ a: 2 }])
    expect(lines).toEqual([])
  })

  it('is not needed for an answer that nobody waits for any more', async () => {
    const { promise: called, resolve: call } = defer()
    const { promise: held, resolve: release } = defer()
    const app = alula().use('things', {
      find: async () => {
        call()
        await held

        return { a: 1 }
      }
    })
    const { port, server, request } = await open(app)
    const arrived = once(server, 'request')
    const socket = writeTo(port, lastGet('/things'))
    const [, response] = await arrived

    await called
    socket.destroy()
    await once(response, 'close')
    release()

    expect((await request('/things')).status).toBe(200)
  })
})

describe('a connection', () => {
  it('carries requests that come before the answers, and answers them in order', async () => {
    const { promise: held, resolve: release } = defer()
    const app = alula().use('things', {
      get: async (id: any) => {
        // The first one takes longer than those behind it.
        if (id === '1') await held
        if (id === '3') release()

        return { id }
      },
      create: async (data: any) => data
    })
    const { exchange } = await open(app)
    const get = (id: number) => `GET /things/${id} HTTP/1.1\r\nHost: localhost\r\n\r\n`
    const post =
      'POST /things HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a":1}'
    const answers = (await exchange(get(1) + post + get(2) + lastGet('/things/3'))).split(/(?=HTTP\/1\.1 )/)

    expect(answers.map(statusOf)).toEqual([200, 201, 200, 200])
    expect(answers.map(bodyOf)).toEqual([{ id: '1' }, { a: 1 }, { id: '2' }, { id: '3' }])
    expect(answers.map((answer) => /^connection: close\r$/im.test(answer))).toEqual([
      false,
      false,
      false,
      true
    ])
  })

  it('is used again after a body that was read, and after one that was refused for what it says', async () => {
    const { exchange } = await open(createEcho())
    const post = (body: string, type = 'application/json') =>
      `POST /things HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const answers = (
      await exchange(post('{"a":1}') + post('{"a"') + post('a=1', 'text/plain') + lastGet('/things?b=1'))
    ).split(/(?=HTTP\/1\.1 )/)

    expect(answers.map(statusOf)).toEqual([201, 400, 415, 200])
    expect(bodyOf(answers[3] as string)).toEqual({ b: '1' })
  })
})

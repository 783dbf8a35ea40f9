import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Application, alula } from '../../src/index.ts'
import { toListener } from '../../src/node.ts'
import { bodyOf, JSON_HEADERS, lastGet, open, statusOf } from './support.ts'

/** A service whose `find` gives this, with these headers. */
function createApp(result: unknown, headers: { [name: string]: string } = {}, status?: number): Application {
  const app = alula().use('things', {
    find: async () => result,
    get: async () => result,
    create: async (data: any) => data
  } as any)

  app.service('things').hooks({
    after: {
      find: [
        (context: any) => {
          context.http = { ...context.http, headers, ...(status !== undefined && { status }) }
        }
      ]
    }
  })

  return app
}

describe('an ETag', () => {
  const TAG = /^W\/"[\da-f]+-[\w+/]{27}"$/

  it('is on the answer to GET, and is another one for another answer', async () => {
    const tags = await Promise.all(
      [{ a: 1 }, { a: 2 }, { a: 1 }].map(async (result) => {
        const { request } = await open(createApp(result))

        return (await request('/things')).headers.get('etag')
      })
    )

    expect(tags[0]).toMatch(TAG)
    expect(tags[1]).toMatch(TAG)
    expect(tags[1]).not.toBe(tags[0])
    expect(tags[2]).toBe(tags[0])
  })

  it('that a client has is answered with a 304 without a body, and keeps the headers of hooks', async () => {
    const { request } = await open(createApp({ a: 1 }, { 'Cache-Control': 'max-age=5' }))
    const tag = (await request('/things')).headers.get('etag') as string
    const strong = tag.replace('W/', '')

    for (const header of [
      tag,
      strong,
      '*',
      ' * ',
      `"x", ${tag}`,
      `W/"x","y",${strong}`,
      `${tag}, "x"`,
      `  ${tag}  `
    ]) {
      for (const method of ['GET', 'HEAD']) {
        const response = await request('/things', { method, headers: { 'If-None-Match': header } })

        expect(response.status, header).toBe(304)
        expect(response.headers.get('etag')).toBe(tag)
        expect(response.headers.get('cache-control')).toBe('max-age=5')
        expect(response.headers.get('content-type')).toBeNull()
        expect(await response.text()).toBe('')
      }
    }
  })

  it('that is not the one of the answer changes nothing', async () => {
    const { request } = await open(createApp({ a: 1 }))
    const tag = (await request('/things')).headers.get('etag') as string

    for (const header of ['"x"', '', tag.slice(0, -1), tag.slice(3), `x${tag}`, '"*"', '**', ',,', 'W/']) {
      const response = await request('/things', { headers: { 'If-None-Match': header } })

      expect(response.status, header).toBe(200)
      expect(await response.json()).toEqual({ a: 1 })
    }
  })

  it('of a hook is kept and compared', async () => {
    const { request } = await open(createApp({ a: 1 }, { ETag: '"mine"' }))

    for (const header of ['"mine"', 'W/"mine"']) {
      const response = await request('/things', { headers: { 'If-None-Match': header } })

      expect([response.status, response.headers.get('etag')]).toEqual([304, '"mine"'])
    }

    const other = await request('/things', { headers: { 'If-None-Match': '"other"' } })

    expect([other.status, other.headers.get('etag')]).toEqual([200, '"mine"'])
  })

  it.each(['etag', 'ETAG', 'eTaG'])('of a hook is the only one when it is written %s', async (name) => {
    const { exchange } = await open(createApp({ a: 1 }, { [name]: '"mine"' }))

    for (const [header, status] of [
      ['"mine"', 304],
      ['"other"', 200]
    ] as const) {
      const answer = await exchange(lastGet('/things', `If-None-Match: ${header}\r\n`))

      expect(statusOf(answer)).toBe(status)
      expect(answer.match(/^etag: .*$/gim)).toEqual([`${name}: "mine"`])
    }
  })

  it.each(['no-cache', 'No-Cache', 'max-age=0, no-cache'])(
    'is not compared for who reloads, with Cache-Control: %s',
    async (cacheControl) => {
      const { request } = await open(createApp({ a: 1 }))
      const headers = { 'If-None-Match': '*', 'Cache-Control': cacheControl }

      expect((await request('/things', { headers })).status).toBe(200)
      expect((await request('/things', { headers: { ...headers, 'Cache-Control': 'x' } })).status).toBe(304)
    }
  )

  it('is on answers of 200 to GET and HEAD only', async () => {
    const { request } = await open(createApp({ a: 1 }, {}, 203))
    const headers = { ...JSON_HEADERS, 'If-None-Match': '*' }
    const posted = await request('/things', { method: 'POST', headers, body: '{"a":1}' })

    expect([posted.status, posted.headers.get('etag')]).toEqual([201, null])
    expect(await posted.json()).toEqual({ a: 1 })

    const found = await request('/things', { headers })

    expect([found.status, found.headers.get('etag')]).toEqual([203, null])

    const unknown = await request('/unknown', { headers })

    expect([unknown.status, unknown.headers.get('etag')]).toEqual([404, null])
    expect(await unknown.json()).toMatchObject({ name: 'NotFound' })
  })

  it('is left out when the option says so, and nothing is a 304 then', async () => {
    const { request } = await open(createApp({ a: 1 }), { etag: false })
    const response = await request('/things', { headers: { 'If-None-Match': '*' } })

    expect([response.status, response.headers.get('etag')]).toEqual([200, null])
  })
})

describe('an answer', () => {
  it('says how many bytes it has, and not how many characters', async () => {
    const { request } = await open(createApp({ text: 'ü€😀' }))
    const response = await request('/things')

    expect(response.headers.get('content-length')).toBe(`${Buffer.byteLength('{"text":"ü€😀"}')}`)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(await response.json()).toEqual({ text: 'ü€😀' })
  })

  it('to HEAD says the same and has no body', async () => {
    const { request, exchange } = await open(createApp({ text: 'ü€😀' }))
    const { headers } = await request('/things')
    const answer = await exchange(lastGet('/things').replace('GET', 'HEAD'))

    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(answer.slice(answer.indexOf('\r\n\r\n'))).toBe('\r\n\r\n')

    for (const name of ['content-length', 'content-type', 'etag']) {
      expect(answer.toLowerCase()).toContain(`\r\n${name}: ${headers.get(name)?.toLowerCase()}\r\n`)
    }
  })

  it.each(['Content-Type', 'content-type', 'CONTENT-TYPE', 'cOnTeNt-TyPe'])(
    'has the type that a hook has set as %s, and no other beside it',
    async (name) => {
      const { exchange } = await open(createApp({ a: 1 }, { [name]: 'application/vnd.api+json' }))
      const types = (await exchange(lastGet('/things'))).match(/^content-type: .*$/gim)

      expect(types).toEqual([`${name}: application/vnd.api+json`])
    }
  )

  it('of 204 has neither body nor type nor length', async () => {
    for (const result of [null, undefined]) {
      const { exchange } = await open(createApp(result))
      const answer = await exchange(lastGet('/things'))

      expect(answer).toMatch(/^HTTP\/1\.1 204 No Content\r\n/)
      expect(answer).not.toMatch(/^(content-|transfer-)/im)
      expect(answer.slice(answer.indexOf('\r\n\r\n'))).toBe('\r\n\r\n')
    }
  })

  it('that a hook makes a 204 has no body, whatever the result', async () => {
    const { exchange } = await open(createApp({ a: 1 }, {}, 204))
    const answer = await exchange(lastGet('/things'))

    expect(answer).toMatch(/^HTTP\/1\.1 204 /)
    expect(answer).not.toMatch(/^content-/im)
    expect(answer.slice(answer.indexOf('\r\n\r\n'))).toBe('\r\n\r\n')
  })

  it('keeps the headers that the server has set', async () => {
    const app = createApp({ a: 1 })
    const listener = toListener(app, { logger: false })
    const server = createServer((request, response) => {
      response.setHeader('Content-Type', 'application/problem+json')
      response.setHeader('X-Server', 'here')
      listener(request, response)
    }).listen(0, '127.0.0.1')

    await once(server, 'listening')
    onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())))

    const { port } = server.address() as AddressInfo
    const { headers } = await fetch(`http://127.0.0.1:${port}/things`, { headers: { Connection: 'close' } })

    expect([headers.get('content-type'), headers.get('x-server')]).toEqual([
      'application/problem+json',
      'here'
    ])
  })
})

describe('what can not be sent', () => {
  const cycle: any = { name: 'cycle' }

  cycle.self = cycle

  it.each([
    ['a cycle', cycle],
    [
      'a value that throws',
      {
        toJSON() {
          throw new Error('no JSON')
        }
      }
    ]
  ])('a result with %s is a 500, and the connection goes on', async (_title, result) => {
    const lines: string[] = []
    const { exchange } = await open(createApp(result), { logger: { error: (line) => lines.push(line) } })
    const get = (target: string) => `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`
    const answer = await exchange(get('/things') + lastGet('/unknown'))
    const [first, second] = answer.split(/(?=HTTP\/1\.1 )/)

    expect(statusOf(first as string)).toBe(500)
    expect(bodyOf(first as string)).toMatchObject({ name: 'GeneralError', code: 500 })
    expect(first).not.toMatch(/^etag/im)
    expect(statusOf(second as string)).toBe(404)
    expect(lines).toHaveLength(1)
  })

  it.each([
    ['a line break in a header', { 'X-Own': 'a\r\nSet-Cookie: stolen=1' }],
    ['a character beyond latin1 in a header', { 'X-Own': '€' }],
    ['a name that is none', { 'X Own': 'a' }],
    ['an empty name', { '': 'a' }]
  ])('%s of a hook is a 500, and nothing of it is sent', async (_title, headers) => {
    const lines: string[] = []
    const { exchange } = await open(createApp({ a: 1 }, headers), {
      logger: { error: (line) => lines.push(line) }
    })
    const answer = await exchange(lastGet('/things'))

    expect(statusOf(answer)).toBe(500)
    expect(bodyOf(answer)).toMatchObject({ name: 'GeneralError', code: 500 })
    expect(answer).not.toMatch(/^(x.own|set-cookie)/im)
    expect(lines).toHaveLength(1)
  })

  it.each([99, 1000, 'abc', {}])('the status %j of a hook is a 500', async (status: any) => {
    const { request } = await open(createApp({ a: 1 }, {}, status))

    expect((await request('/things')).status).toBe(500)
  })
})

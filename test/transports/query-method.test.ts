import { expect, it } from 'vitest'
import { type Application, alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { toSocketCall } from '../../src/transport/socket.ts'
import { createRandom, type Random } from '../support/random.ts'
import { describeHttpTransports, type TransportClient } from '../support/transports.ts'

// The method QUERY (RFC 10008): `find` with the query as a JSON body.

const PEOPLE = [
  { id: 1, name: 'Ada', age: 36 },
  { id: 2, name: 'Bob', age: 7 },
  { id: 3, name: 'Cleo', age: 39 }
]

const people = (app: Application): void => {
  app.use('people', memory({ store: Object.fromEntries(PEOPLE.map((person) => [person.id, person])) }))
}

const JSON_TYPE = { 'Content-Type': 'application/json' }

const ask = (client: TransportClient, query: unknown, path = '/people', headers: object = JSON_TYPE) =>
  client.request(path, {
    method: 'QUERY',
    headers: headers as Record<string, string>,
    body: typeof query === 'string' ? query : JSON.stringify(query)
  })

/** The status and the message of the error. */
const refusal = async (sent: Promise<Response>) => {
  const response = await sent
  const { message } = (await response.json()) as { message: string }

  return [response.status, message]
}

/** A query as clients may send it, or one that is refused. */
function toRandomQuery(random: Random, depth: number): unknown {
  const values = () => Array.from({ length: random.integer(4) }, () => toRandomQuery(random, depth + 1))
  const kind = depth === 0 ? 'object' : random.pick(['value', 'value', 'list', 'object'])

  if (kind === 'value' || depth > 4) return random.pick([null, true, 1.5, '1', ''])
  if (kind === 'list') return values()

  const names = ['a', '$in', 'x[y]', 'é', 'toString', 'b']

  return Object.fromEntries(
    values().map((value) => [random.chance(0.05) ? 'bad' : random.pick(names), value])
  )
}

describeHttpTransports('QUERY', (open) => {
  it('is a find whose query is the body', async () => {
    const client = await open(people)
    const response = await ask(client, { age: { $gt: 30 }, $or: [{ name: 'Ada' }, { id: 2 }] })

    expect([response.status, await response.json()]).toEqual([200, [PEOPLE[0]]])
  })

  it('gives the service the query as a socket does: numbers are numbers, null is null', async () => {
    const client = await open((app) => app.use('echo', { find: async ({ query }: any) => query }))
    const query = { age: 36, name: '36', tags: ['a', true, null], deep: { $in: [1, '1'] } }

    expect(await (await ask(client, query, '/echo')).json()).toEqual(query)
  })

  it('adds what is in the URL, which counts more', async () => {
    const client = await open((app) => app.use('echo', { find: async ({ query }: any) => query }))

    expect(await (await ask(client, { a: 1, b: 2 }, '/echo?b=3')).json()).toEqual({ a: 1, b: '3' })
  })

  it('is refused as a message of a socket is: with 400 for what is no query', async () => {
    const client = await open(people)
    const message = 'Invalid query: expected an object'

    expect(await refusal(ask(client, [{}]))).toEqual([400, message])
    expect((await ask(client, 'null')).status).toBe(400)
    expect((await ask(client, '{"name"')).status).toBe(400)
    expect((await ask(client, '')).status).toBe(400)
    expect(await refusal(ask(client, '{"__proto__":{"a":1}}'))).toEqual([
      400,
      "Invalid query: '__proto__' is not allowed as a name"
    ])
    expect(await refusal(ask(client, { name: { $where: 1 } }))).toEqual(
      await refusal(client.request('/people?name[$where]=1'))
    )
  })

  it('needs a content type, which is JSON', async () => {
    const client = await open(people)
    const bytes = (type?: string) =>
      client.request('/people', {
        method: 'QUERY',
        headers: type ? { 'Content-Type': type } : {},
        body: new TextEncoder().encode('{"name":"Ada"}')
      })

    expect(await refusal(bytes())).toEqual([
      400,
      "Missing header 'Content-Type': expected 'application/json'"
    ])
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonpath']) {
      const response = await bytes(type)

      expect([response.status, response.headers.get('Accept-Query')]).toEqual([415, 'application/json'])
    }
    expect((await bytes('application/json; charset=latin1')).status).toBe(415)
    expect((await bytes('application/json; charset=utf-8')).status).toBe(200)
  })

  it('has the limits of a body', async () => {
    const client = await open(people, { bodyLimit: 40 })

    expect((await ask(client, { name: 'Ada' })).status).toBe(200)
    expect((await ask(client, { name: 'A'.repeat(40) })).status).toBe(413)
  })

  it('has a tag, and a client that has the response already gets a 304', async () => {
    const client = await open(people)
    const tag = (await ask(client, { name: 'Ada' })).headers.get('ETag') as string
    const again = (query: object) =>
      ask(client, query, '/people', {
        ...JSON_TYPE,
        'If-None-Match': tag,
        'Cache-Control': 'max-age=0'
      }).then(({ status }) => status)

    expect(tag).toBe((await client.request('/people?name=Ada')).headers.get('ETag'))
    expect(await again({ name: 'Ada' })).toBe(304)
    expect(await again({ name: 'Bob' })).toBe(200)
  })

  it('is named by the responses of find, and by Allow', async () => {
    const client = await open(people)
    const accepts = async (path: string, init?: RequestInit) =>
      (await client.request(path, init)).headers.get('Accept-Query')

    expect(await accepts('/people')).toBe('application/json')
    expect(await accepts('/people/1')).toBe(null)
    expect(await accepts('/people', { method: 'POST', headers: JSON_TYPE, body: '{}' })).toBe(null)
    expect((await client.request('/people', { method: 'OPTIONS' })).headers.get('Allow')).toBe(
      'GET, HEAD, QUERY, POST, PUT, PATCH, DELETE'
    )
  })

  it('reads random queries as a socket does, and refuses the same', async () => {
    const client = await open((app) => app.use('echo', { find: async ({ query }: any) => query }))
    const app = alula().use('echo', { find: async () => [] })
    const random = createRandom(7)
    const statuses = new Set<number>()

    for (let run = 0; run < 60; run++) {
      const text = JSON.stringify(toRandomQuery(random, 0))
      const query = JSON.parse(text.replaceAll('bad', '__proto__'))
      const { status, body } = await ask(client, JSON.stringify(query), '/echo').then(async (response) => ({
        status: response.status,
        body: await response.json()
      }))
      const message = { method: 'find', path: 'echo', args: [query], connection: { provider: 'test' } }
      let expected: unknown

      try {
        expected = { status: 200, body: toSocketCall(app, message).call.params.query }
      } catch (error: any) {
        expected = { status: error.code, body: error.toJSON() }
      }

      expect({ status, body }).toEqual(expected)
      statuses.add(status)
    }

    expect([...statuses].sort()).toEqual([200, 400])
  })

  it('is not named where a hook leaves the header out', async () => {
    const client = await open((app) => {
      people(app)
      app.service('people').hooks({
        before: {
          find: [async ({ http }: any) => void Object.assign(http, { headers: { 'Accept-Query': '' } })]
        }
      })
    })

    expect((await client.request('/people')).headers.get('Accept-Query')).toBe('')
  })

  it('is only for find', async () => {
    const client = await open((app) => {
      people(app)
      app.use('getter', { get: async () => ({}) } as any)
      app.use('single', { get: async () => ({}) } as any, { singleton: () => ({}) } as any)
    })

    for (const path of ['/people/1', '/getter', '/single']) {
      expect([path, (await ask(client, {}, path)).status]).toEqual([path, 405])
    }
  })
})

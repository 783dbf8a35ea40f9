import { describe, expect, it } from 'vitest'
import { alula, rest } from '../../src/client.ts'
import { BadRequest, Unavailable } from '../../src/errors.ts'
import { configureEcho } from './echo.ts'
import { failure, libraries, restServers } from './servers.ts'

// Mistakes in a request, and a response that is cut off: the same error with each library.

describe.each(Object.entries(libraries))('a client with %s', (_name, connect) => {
  async function open(configure: (app: any) => void = configureEcho) {
    const { url } = await (restServers['our server'] as any)(configure)

    return alula().configure(connect(url))
  }

  it('refuses an id and a placeholder that no URL can hold', async () => {
    const app = await open()
    const calls = [
      () => app.service('things').get('\ud800'),
      () => app.service('users/:userId/things').find({ route: { userId: 'a\udc00' } })
    ]

    for (const call of calls) {
      const error = await failure(call())

      expect(error).toBeInstanceOf(BadRequest)
      expect(error.message).toMatch(/^Invalid value '.*': no path of a URL can hold it$/)
    }
  })

  it('refuses half a character in a query, which would arrive as another one', async () => {
    const things = (await open()).service('things')

    for (const query of [
      { text: 'a\ud800' },
      { 'text\ud800': 'a' },
      { $or: [{ text: 'a' }, { text: { $ne: '\udc00' } }] },
      { tags: { 'a\udc00': 1 } }
    ]) {
      for (const call of [() => things.find({ query }), () => things.remove(null, { query })]) {
        const error = await failure(call())

        expect(error).toBeInstanceOf(BadRequest)
        expect(error.message).toBe('Invalid query: no URL can hold half of a surrogate pair')
      }
    }
    expect(await things.find({ query: { text: '😀' } })).toMatchObject({ query: { text: '😀' } })
  })

  it('throws what JSON says of data that it cannot write', async () => {
    const things = (await open()).service('things')
    const error = await failure(things.create({ n: 1n }))

    expect(error).toBeInstanceOf(TypeError)
    expect(error.message).toMatch('BigInt')
  })

  it.each([
    ['X Trace', 'a'],
    ['', 'a'],
    ['X-Trace', 'a\r\nX-Other: b'],
    ['X-Trace', '5 €']
  ])('refuses a header that HTTP cannot send: %j', async (name, value) => {
    const things = (await open()).service('things')
    const error = await failure(things.find({ headers: { [name]: value } }))

    expect(error).toBeInstanceOf(BadRequest)
    expect(error.message).toBe(
      `Invalid header '${name}': its name or its value has a character that HTTP cannot send`
    )
    expect(await things.find({ headers: { 'X-Trace': 'grün' } })).toMatchObject({
      headers: { trace: 'grün' }
    })
  })

  it('is told that a response was cut off', async () => {
    const app = await open((server) =>
      server.use('/cut', (request: any, response: any) => {
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 100 })
        response.write('{"a":', () => request.socket.end())
      })
    )
    const error = await failure(app.service('cut').find())

    expect(error).toBeInstanceOf(Unavailable)
    expect(error).toMatchObject({ data: { method: 'GET' }, cause: expect.any(Error) })
  })
})

it('a failure that is its own cause is thrown as it is', async () => {
  const error = new Error('No route')
  const things = alula()
    .configure(
      rest('http://127.0.0.1:59998').fetch(() => Promise.reject(Object.assign(error, { cause: error })))
    )
    .service('things')

  expect(await failure(things.find())).toBe(error)
})

import axios from 'axios'
import { describe, expect, it } from 'vitest'
import { alula, rest } from '../../src/client.ts'
import { configureEcho } from './echo.ts'
import { failure, fetchOnce, libraries, restServers } from './servers.ts'

it.each(Object.entries(libraries))(
  'the headers of a call with %s may be an object Headers, and pairs',
  async (_name, connect) => {
    const { url } = await (restServers['our server'] as any)(configureEcho)
    const things = alula()
      .configure(connect(url, { headers: { 'X-Trace': 'options' } }))
      .service('things')

    for (const headers of [new Headers({ 'X-Trace': 'call' }), [['x-trace', 'call']]]) {
      expect(await things.find({ headers })).toMatchObject({ headers: { trace: 'call' } })
      expect(await things.create({ a: 1 }, { headers })).toMatchObject({
        data: { a: 1 },
        headers: { trace: 'call', accept: 'application/json' }
      })
    }
  }
)

describe('the options of a call for the library', () => {
  it('go to fetch, an abort among them', async () => {
    const { url } = await (restServers['our server'] as any)((app: any) => {
      configureEcho(app)
      app.use('slow', { find: () => new Promise(() => {}) })
    })
    const app = alula().configure(rest(url).fetch(fetchOnce))
    const controller = new AbortController()
    const pending = app.service('slow').find({ connection: { signal: controller.signal } })
    // As it could be of the connection, too.
    const reason = new TypeError('Enough')

    controller.abort(reason)

    expect(await failure(pending)).toBe(reason)
    expect(
      (await failure(app.service('slow').find({ connection: { signal: AbortSignal.timeout(1) } }))).name
    ).toBe('TimeoutError')
    expect(
      await app.service('things').create({ a: 1 }, { connection: { headers: { 'X-Trace': 'connection' } } })
    ).toMatchObject({ data: { a: 1 }, headers: { trace: 'connection', accept: 'application/json' } })
    expect(
      await app.service('things').find({ connection: { headers: new Headers({ 'x-trace': 'headers' }) } })
    ).toMatchObject({ headers: { trace: 'headers' } })
  })

  it('go to axios, an abort and a time limit among them', async () => {
    const { url } = await (restServers['our server'] as any)((app: any) => {
      configureEcho(app)
      app.use('slow', { find: () => new Promise(() => {}) })
    })
    const app = alula().configure(rest(url).axios(axios))
    const controller = new AbortController()
    const pending = app.service('slow').find({ connection: { signal: controller.signal } })

    controller.abort()

    expect((await failure(pending)).name).toBe('CanceledError')
    expect(await failure(app.service('slow').find({ connection: { timeout: 1 } }))).toMatchObject({
      name: 'Timeout',
      code: 408
    })
    expect(
      await app.service('things').find({ connection: { headers: { 'X-Trace': 'connection' } } })
    ).toMatchObject({ headers: { trace: 'connection' } })
  })

  it('are headers for superagent', async () => {
    const { url } = await (restServers['our server'] as any)(configureEcho)
    const things = alula()
      .configure((libraries.superagent as any)(url))
      .service('things')

    expect(await things.find({ connection: { 'X-Trace': 'connection' } })).toMatchObject({
      headers: { trace: 'connection' }
    })
    expect(
      await things.find({ connection: { 'X-Trace': 'connection' }, headers: { 'x-trace': 'call' } })
    ).toMatchObject({ headers: { trace: 'call' } })
  })
})

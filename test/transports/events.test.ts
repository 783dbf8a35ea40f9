import { once } from 'node:events'
import { expect, it } from 'vitest'
import { getInternals } from '../../src/core/internals.ts'
import { type EventsOptions, events } from '../../src/events.ts'
import { memory } from '../../src/memory.ts'
import { readEvents } from '../support/event-stream.ts'
import { describeHttpTransports, type OpenTransport } from '../support/transports.ts'
import { until } from '../support/until.ts'

/** An application with notes for the channel `all`, which every connection joins. */
async function openEvents(open: OpenTransport, options: EventsOptions = {}) {
  let app: any
  const client = await open((configured: any) => {
    app = configured
    // A test opens more streams in a second than an application expects.
    app.set('connectionRate', 10_000)
    app.use('notes', memory())
    app.use('tasks', memory())
    app.configure(events(options))
    app.on('connection', (connection: object) => app.channel('all').join(connection))
    app.publish(() => app.channel('all'))
  })

  async function listen(search = '', headers: { [name: string]: string } = {}) {
    const joined = once(app, 'connection')
    const response = await client.request(`/events${search}`, { headers })

    if (response.ok) await joined

    return { response, ...(response.ok ? readEvents(response) : ({} as ReturnType<typeof readEvents>)) }
  }

  return { app, client, listen, notes: app.service('notes'), tasks: app.service('tasks') }
}

describeHttpTransports('Server-Sent Events', (open) => {
  it('a client gets events, with where they are in the log', async () => {
    const { listen, notes } = await openEvents(open)
    const { response, next, find, cancel } = await listen()

    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-cache, no-transform')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    expect(Number((await next())?.retry)).toSatisfy((retry: number) => retry >= 1000 && retry <= 3000)
    expect(await next()).toEqual({ id: expect.any(String) })

    await notes.create({ text: 'a\nb' })
    await notes.patch(0, { text: 'ü' })

    const created = await next()

    expect(created).toMatchObject({ event: 'notes created', id: expect.any(String) })
    expect(JSON.parse(created?.data as string)).toEqual({ id: 0, text: 'a\nb' })
    expect(await find('event')).toMatchObject({ event: 'notes patched', data: expect.stringContaining('ü') })
    await cancel()
  })

  it('a client that comes back gets what it missed', async () => {
    const { app, listen, notes } = await openEvents(open)
    const first = await listen()

    await notes.create({ text: 'a' })

    const { id } = (await first.find('event')) as any
    const ended = once(app, 'disconnect')

    await first.cancel()
    await ended
    await notes.create({ text: 'b' })

    const { find, cancel } = await listen('', { 'Last-Event-ID': id })

    expect(await find('event')).toMatchObject({ data: expect.stringContaining('"b"') })
    await notes.create({ text: 'c' })
    expect(await find('event')).toMatchObject({ data: expect.stringContaining('"c"') })
    await cancel()
  })

  it('what it cannot get is a gap of the services that it wants, with where to go on', async () => {
    const { listen, notes } = await openEvents(open)
    const { find, cancel } = await listen('?services[]=notes', { 'Last-Event-ID': 'other-7.1' })
    const { event, data, id } = (await find('event')) as any

    expect([event, JSON.parse(data)]).toEqual(['gap', { services: ['notes'], position: id }])
    await notes.create({ text: 'a' })
    expect(await find('event')).toMatchObject({ event: 'notes created' })
    await cancel()
  })

  it('a client gets events of the services that it wants', async () => {
    const { listen, notes, tasks } = await openEvents(open)
    const { find, cancel } = await listen('?services[]=notes')

    await tasks.create({})
    await notes.create({})
    expect(await find('event')).toMatchObject({ event: 'notes created' })
    await cancel()
  })

  it.each([
    ['?services[]=nothing', {}, "Unknown service 'nothing'"],
    ['?services[a]=notes', {}, "Invalid 'services': expected paths, as in 'services[]=notes'"],
    ['', { 'Last-Event-ID': 'x' }, "Invalid header 'Last-Event-ID': expected the id of an event"]
  ])('%s %j is a 400', async (search, headers, message) => {
    const { response } = await (await openEvents(open)).listen(search, headers as any)

    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ name: 'BadRequest', message })
  })

  it('other verbs and paths are refused', async () => {
    const { client } = await openEvents(open, { path: 'live' })

    expect((await client.request('/live', { method: 'POST' })).status).toBe(405)
    expect((await client.request('/live/other')).status).toBe(404)
  })

  it('HEAD gets the headers, and opens no connection', async () => {
    const { app, client } = await openEvents(open)
    const opened: unknown[] = []

    app.on('connection', (connection: object) => opened.push(connection))

    const { status, headers } = await client.request('/events', { method: 'HEAD' })

    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
    expect(opened).toEqual([])
    expect((await client.request('/events?services[]=nothing', { method: 'HEAD' })).status).toBe(400)
  })

  it('clients get signs of life', async () => {
    const { listen } = await openEvents(open, { heartbeat: 0.01 })
    const { find, cancel } = await listen()

    expect(await find('')).toEqual({ '': '' })
    expect(await find('')).toEqual({ '': '' })
    await cancel()
  })

  it('a stream ends when the application says that its connection ends', async () => {
    const { app, listen } = await openEvents(open)
    const joined = once(app, 'connection')
    const { find } = await listen()
    const [connection] = await joined

    app.emit('disconnect', connection)
    expect(await find('event')).toBeUndefined()
  })

  it('60 streams that come and go leave nothing', async () => {
    const { app, listen, notes } = await openEvents(open)
    const { streams } = getInternals(app)
    const connections: object[] = []

    app.on('connection', (connection: object) => connections.push(connection))

    for (let count = 0; count < 60; count++) {
      const { cancel } = await listen()
      const ended = once(app, 'disconnect')

      await cancel()
      expect((await ended)[0]).toBe(connections[count])
    }

    expect(app.channels).toEqual([])
    expect(app.channel('all').length).toBe(0)
    await notes.create({})
    await until(() => expect(streams?.size).toBe(0))
  })
})

import { once } from 'node:events'
import { expect, it } from 'vitest'
import { connect, cut, startServer, TRANSPORTS } from '../live/app.ts'
import { defer } from '../support/deferred.ts'
import { until } from '../support/until.ts'

it.each(TRANSPORTS)(
  'an event that came before one that waited is dropped when it is replayed: %s',
  async (transport) => {
    const gate = defer<void>()
    const server = await startServer((app) => {
      app.service('notes').publish(async ({ text }: any) => {
        if (text === 'slow') await gate.promise

        return app.channel('all')
      })
    })
    const { app, notes } = server
    const client = await connect(server, transport)
    const heard: string[] = []
    const hears = (...texts: string[]) => until(() => expect(heard).toEqual(texts))

    client.service('notes').on('created', ({ text }: any) => heard.push(text))
    await notes.create({ text: 'first' })
    await hears('first')
    await notes.create({ text: 'slow' })
    await notes.create({ text: 'fast' })
    await hears('first', 'fast')

    const again = once(app, 'connection')

    cut(app)
    gate.resolve()
    await again
    await notes.create({ text: 'last' })
    await until(() => expect(heard).toContain('last'))
    expect(heard).toEqual(['first', 'fast', 'slow', 'last'])
  }
)

import { onTestFinished } from 'vitest'
import { getInternals } from '../../src/core/internals.ts'
import { alula } from '../../src/index.ts'
import { type LogListener, openLog } from '../../src/log/log.ts'
import { memory } from '../../src/memory.ts'
import { toDeliveries } from '../../src/transport/socket.ts'

/** What a connection got, in order: events, gaps and positions. */
export type Heard = { name: string; payload?: any; stamp?: any }

/** Says whether a connection can take more; one can always, when left out. */
type WhenReady = LogListener['whenReady']

/** An application with a transport that sends nothing over a wire. */
export function startLog(settings: object = {}, whenReady?: WhenReady) {
  const app: any = alula()

  app.set('eventLog', settings)
  app.use('things', memory({ multi: true }), { methods: ['create', 'patch', 'remove'], events: ['custom'] })

  return {
    app,
    ...connectLog(app, whenReady),
    things: app.service('things'),
    toAll: () => app.channel('all')
  }
}

/** Gives an application a log, and connections that hear of events. */
export function connectLog(app: any, whenReady: WhenReady = () => undefined) {
  const connections = new Map<object, Heard[]>()
  const log = openLog(app, {
    connections,
    whenReady,
    tellPosition: (position, told) => {
      for (const one of told) connections.get(one)?.push({ name: '$position', payload: position })
    },
    tellGap: (gap, told) => {
      for (const one of told) connections.get(one)?.push({ name: 'gap', payload: gap })
    }
  })

  app.on('publish', (event: string, channel: any, context: any, data: unknown, stamp: unknown) => {
    for (const { name, payload, connections: chosen } of toDeliveries(event, channel, context, data)) {
      for (const one of chosen) connections.get(one)?.push({ name, payload, stamp })
    }
  })
  onTestFinished(() => {
    if (getInternals(app).log) log.close()
  })

  /** A connection in a channel. */
  function connect(channel = 'all', connection: any = {}) {
    const heard: Heard[] = []

    connections.set(connection, heard)
    app.channel(channel).join(connection)

    return { connection, heard, close: () => void connections.delete(connection) }
  }

  return { log, connect }
}

/** The texts of the events among what was heard. */
export function texts(heard: readonly Heard[]): unknown[] {
  return heard.filter(({ stamp }) => stamp).map(({ payload }) => payload.text)
}

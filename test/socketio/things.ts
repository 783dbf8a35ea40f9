import type { Socket } from 'socket.io-client'
import { memory } from '../../src/memory.ts'
import { call, withoutStamp } from '../support/socketio.ts'

/** Fills an application with `things` that everybody who is connected hears of. */
export function configureThings(app: any): void {
  app.use('things', memory({ startId: 1, multi: true }), {
    methods: ['find', 'get', 'create', 'update', 'patch', 'remove'],
    events: ['custom']
  })
  app.on('connection', (connection: any) => app.channel('all').join(connection))
  app.service('things').publish(() => app.channel('all'))
}

/** All events that a client hears, as `[name, data]`: without where they are in the log. */
export function collect(socket: Socket): any[][] {
  const heard: any[][] = []

  socket.onAny((name, ...values) => heard.push([name, ...withoutStamp(values)]))

  return heard
}

/** Waits until all that was sent to the clients so far has arrived: answers come behind. */
export async function settle(...sockets: Socket[]): Promise<void> {
  for (const socket of sockets) await call(socket, 'find', 'things').catch(() => undefined)
}

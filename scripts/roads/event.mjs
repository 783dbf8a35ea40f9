// An event from a POST in one application to a socket of another, over Redis: from the result on.
import { once } from 'node:events'
import { createClient } from 'redis'
import { io } from 'socket.io-client'
import { z } from 'zod'
import { access, anyone } from '../../dist/access.js'
import { schema } from '../../dist/schema.js'
import { socketio } from '../../dist/socketio.js'
import { sync } from '../../dist/sync.js'
import { createApp, createRecordedStore, listen, send } from './server.mjs'

const REDIS_URL = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379'

/** How long an event may take, in milliseconds. */
const EVENT_TIMEOUT = 8000

const Note = z.object({ id: z.int(), text: z.string() })

/** The road of the response, which the event has nothing to do with. */
const RESPONSE = /^(?:express|node|transport\/(?:http|encode|handler))/

/** Why this road cannot be walked here, if it cannot. */
export async function findReason() {
  const client = createClient({ url: REDIS_URL, socket: { reconnectStrategy: false } })

  // The rejection of `connect` says the same.
  client.on('error', () => {})

  try {
    await client.connect()
    client.destroy()
  } catch (error) {
    return `no Redis answers at ${REDIS_URL}: ${error.message || error.code}`
  }
}

export async function prepare() {
  const prefix = `alula-roads-${process.pid}`
  const here = await start(prefix)
  const there = await start(prefix)
  const socket = io(`http://127.0.0.1:${there.port}`, { transports: ['websocket'] })

  await nextEvent(socket, 'connect')

  return {
    async request() {
      const event = nextEvent(socket, 'notes created')

      await send(here.port, 'POST', '/notes', { body: { text: 'Hello' } })
      await event
    },
    async close() {
      socket.close()
      await Promise.all([here.app.teardown(), there.app.teardown()])
      await removeKeys(prefix)
    }
  }
}

/** What belongs to the event: from where the result becomes one, or else from the end of the method. */
export function pick(entries) {
  const emit = entries.findIndex(({ file, name }) => file === 'core/events' && name === 'emitResult')
  const start = emit === -1 ? entries.findIndex(({ name }) => name === 'return') : emit

  return entries.slice(start).filter(({ file }) => !RESPONSE.test(file))
}

async function start(prefix) {
  const app = createApp()

  app.configure(socketio({ logger: false }))
  app.configure(sync({ redis: REDIS_URL, prefix }))
  app.use('notes', createRecordedStore(), {
    schema: schema(Note),
    access: access({ find: anyone, create: anyone })
  })
  app.on('connection', (connection) => app.channel('all').join(connection))
  app.service('notes').publish(() => app.channel('all'))

  return { app, port: await listen(app) }
}

function nextEvent(socket, name) {
  return once(socket, name, { signal: AbortSignal.timeout(EVENT_TIMEOUT) })
}

async function removeKeys(prefix) {
  const client = await createClient({ url: REDIS_URL }).connect()

  for await (const keys of client.scanIterator({ MATCH: `${prefix}*` })) {
    if (keys.length > 0) await client.del(keys)
  }
  client.destroy()
}

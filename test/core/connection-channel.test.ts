import { channel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { events } from '../../src/events.ts'
import express, { rest } from '../../src/express.ts'
import { alula, type ConnectionMessage } from '../../src/index.ts'
import { LOGIN, open } from '../socketio/users.ts'
import { configureLogin } from '../support/login.ts'
import { serve } from '../support/server.ts'
import { call, connect } from '../support/socketio.ts'

/** The messages of the channel. */
function watch(): ConnectionMessage[] {
  const messages: ConnectionMessage[] = []
  const add = (message: unknown) => void messages.push(message as ConnectionMessage)

  channel('alula:connection').subscribe(add)
  onTestFinished(() => void channel('alula:connection').unsubscribe(add))

  return messages
}

const toNames = (messages: readonly ConnectionMessage[]) =>
  messages.map(({ event, provider }) => `${provider} ${event}`)

it('the channel has what happens to a socket, each once', async () => {
  const { app, url } = await open()
  const messages = watch()
  const socket = await connect(url)

  await call(socket, 'create', 'authentication', LOGIN)
  await call(socket, 'remove', 'authentication', null)

  const ended = once(app, 'disconnect')

  socket.disconnect()

  const [connection] = await ended

  expect(toNames(messages)).toEqual([
    'socketio connection',
    'socketio login',
    'socketio logout',
    'socketio disconnect'
  ])
  expect(messages.every((message) => message.connection === connection)).toBe(true)
})

it('the channel has event streams, and no logins over HTTP', async () => {
  const app: any = express(alula()).configure(rest()).configure(events())
  const authentication = configureLogin(app)
  const messages = watch()
  const url = await serve(app)
  const user = { email: 'ann', password: 'open sesame' }

  await app.service('users').create({ id: 1, ...user })
  await authentication.create({ strategy: 'local', ...user })
  await fetch(`${url}/authentication`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ strategy: 'local', ...user })
  })
  expect(messages).toEqual([])

  const leaving = new AbortController()

  await fetch(`${url}/events`, { signal: leaving.signal })

  const ended = once(app, 'disconnect')

  leaving.abort()
  await ended

  expect(messages.map(({ event }) => event)).toEqual(['connection', 'disconnect'])
})

import { expect, it } from 'vitest'
import { markTokenResponse } from '../../src/utils/token-response.ts'
import { createAppWithUser, LOGIN } from '../authentication/app.ts'
import { connectLog, startLog, texts } from './app.ts'

it.each<[string, (token: object) => object]>([
  ['itself', (token) => token],
  ['below a name', (token) => ({ text: 'login', login: token })],
  ['in a list below a name', (token) => ({ text: 'login', logins: [token] })],
  ['below a name in a list', (token) => ({ text: 'login', users: [{ name: 'wren', login: token }] })]
])('an event that has a token %s is sent and not replayed', async (_place, wrap) => {
  const { log, connect, things, toAll } = startLog()
  const { position } = log
  const before = connect()

  things.publish(toAll)
  things.emit('custom', wrap(markTokenResponse({ text: 'login', accessToken: 'a token' })))
  things.emit('custom', { text: 'another' })
  expect(before.heard.map(({ payload }) => payload.text)).toEqual(['login', 'another'])

  const { connection, heard } = connect()

  await log.resume(connection, position)
  expect(texts(heard)).toEqual(['another'])
})

it('a login and a logout are not replayed, to a channel of their own service either', async () => {
  const { app, service } = await createAppWithUser()
  const { log, connect } = connectLog(app)
  const { position } = log
  const before = connect()

  service.publish(() => app.channel('all'))

  const { accessToken } = await service.create(LOGIN)

  await service.remove(null, { authentication: { strategy: 'jwt', accessToken } })
  expect(before.heard.map(({ name }) => name)).toEqual(['authentication created', 'authentication removed'])

  const { connection, heard } = connect()

  await log.resume(connection, position)
  expect(heard.filter(({ stamp }) => stamp)).toEqual([])
})

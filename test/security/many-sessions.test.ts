import { expect, it, vi } from 'vitest'
import { alula } from '../../src/index.ts'
import { CountingHasher, configureLogin } from '../support/login.ts'

const ANN = { email: 'ann', password: 'one' }

const CONNECTIONS = 50

const CHANGES = 100

/** An application, a user, and connections of that user, each with a token of its own. */
async function start() {
  const app: any = alula()
  const authentication = configureLogin(app, { settings: { local: { hasher: new CountingHasher() } } })
  const open = new Set<object>()

  app.on('disconnect', (connection: object) => open.delete(connection))
  await app.setup()

  const { id } = await app.service('users').create({ ...ANN, count: 0 })

  for (let count = 0; count < CONNECTIONS; count++) {
    const connection = { provider: 'socketio' }

    open.add(connection)
    await authentication.create({ strategy: 'local', ...ANN }, { provider: 'socketio', connection })
  }

  const loads = vi.spyOn(app.service('users'), 'get')

  return { app, id, open, loads }
}

it('a user with many sessions who changes often costs as much as one who has changed twice', async () => {
  const { app, id, open, loads } = await start()

  await Promise.all(Array.from({ length: CHANGES }, (_, count) => app.service('users').patch(id, { count })))
  await app.service('authentication').verifySessions(id)

  expect(open.size).toBe(CONNECTIONS)
  expect(loads.mock.calls.length).toBeLessThanOrEqual(3 * CONNECTIONS)
})

it('the last of many changes counts', async () => {
  const { app, id, open } = await start()

  await Promise.all(
    Array.from({ length: CHANGES }, (_, count) =>
      app.service('users').patch(id, count === CHANGES - 1 ? { password: 'two' } : { count })
    )
  )
  await app.service('authentication').verifySessions(id)

  expect(open.size).toBe(0)
})

import { once } from 'node:events'
import { expect, it } from 'vitest'
import { kysely, transaction, withTransaction } from '../../src/kysely.ts'
import { createTable, describeDatabases, type TestDatabase } from '../support/sql.ts'
import { createApp, WREN } from './app.ts'

/** An application whose users are in a table, with two sessions of one of them. */
async function start(database: TestDatabase) {
  const name = 'alula_session_users'
  const columns = `id ${database.countedId}, email ${database.text}, password ${database.text}, name ${database.text}`
  const db = await createTable(database, name, columns)
  const app = await createApp({ shared: { users: kysely({ Model: db, name, id: 'id' }) } })
  const users = app.app.service('users')

  await users.create(WREN)

  const [own, second] = [await app.logIn(), await app.logIn()]
  const params = { provider: undefined, authentication: own.authentication, user: own.user }

  return {
    ...{ ...app, db, users, own, second },
    setPassword: (others = {}) => users.patch(1, { password: 'battery staple' }, { ...params, ...others })
  }
}

const reason = (value: string) => ({ code: 401, data: { reason: value } })

describeDatabases('a transaction', (database) => {
  it('that sets a new password keeps the session', async () => {
    const { db, setPassword, own, second, refresh, use } = await start(database)

    await withTransaction(db, () => setPassword())
    await use((await refresh(own.refreshToken)).accessToken)
    await expect(refresh(second.refreshToken)).rejects.toMatchObject(reason('password'))
  })

  it('of hooks that sets a new password keeps the session', async () => {
    const { app, db, setPassword, own, refresh, use } = await start(database)
    const passwords = {
      getModel: () => db,
      async create(_data: object, { transaction }: any) {
        await setPassword({ transaction })

        return {}
      }
    }

    app.use('passwords', passwords, { methods: ['create'] })
    app.service('passwords').hooks({
      before: { create: [transaction.start()] },
      after: { create: [transaction.end()] },
      error: { create: [transaction.rollback()] }
    })
    await app.service('passwords').create({})
    await use((await refresh(own.refreshToken)).accessToken)
  })

  it('that is rolled back keeps and ends no session', async () => {
    const { db, users, setPassword, own, second, refresh, ended } = await start(database)
    const roll = async () => {
      await setPassword()
      await users.remove(1)
      throw new Error('No')
    }

    await expect(withTransaction(db, roll)).rejects.toThrow('No')
    await refresh(own.refreshToken)
    await refresh(second.refreshToken)
    expect(ended).toEqual([])
  })

  it('that removes a user ends the sessions', async () => {
    const { app, db, users, own, refresh } = await start(database)
    const ended = once(app, 'session:ended', { signal: AbortSignal.timeout(5000) })

    await withTransaction(db, () => users.remove(1))
    expect(await ended).toMatchObject([{ cause: 'user', userId: '1' }])
    await expect(refresh(own.refreshToken)).rejects.toMatchObject({ code: 401 })
  })
})

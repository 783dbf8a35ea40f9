// Ids of some databases are instances of a class, and each read makes another one; those of others are `bigint`.
import { ObjectId } from 'mongodb'
import { expect, it } from 'vitest'
import { createAppWithUser, LOGIN, REVOKED, useToken } from './app.ts'

const HEX = '65a1b2c3d4e5f60718293a4b'

const IDS: readonly (readonly [string, () => unknown])[] = [
  ['an instance', () => new ObjectId(HEX)],
  ['a bigint', () => 7n]
]

/** A service with one user. */
function createUsers(createId: () => unknown): any {
  let user: object = {}
  const read = () => ({ ...user, _id: createId() })
  const write = (data: object) => {
    user = { ...user, ...data }

    return read()
  }

  return {
    id: '_id',
    find: async () => [read()],
    get: async () => read(),
    create: async (data: object) => write(data),
    patch: async (_id: unknown, data: object) => write(data)
  }
}

it.each(IDS)('a new password ends the tokens of a user whose id is %s', async (_name, createId) => {
  const { app, user, service } = await createAppWithUser({ users: createUsers(createId) })
  const { accessToken } = await service.create(LOGIN)

  expect(await useToken(app, accessToken)).toHaveProperty('user')
  await app.service('users').patch(user._id, { password: 'a new password' })
  await expect(useToken(app, accessToken)).rejects.toMatchObject(REVOKED)
})

it.each(IDS)('a user whose id is %s stays in channels at a second login', async (_name, createId) => {
  const { app, service } = await createAppWithUser({ users: createUsers(createId) })
  const connection: any = {}
  const { accessToken } = await service.create(LOGIN, { connection })

  app.channel('room').join(connection)
  await service.create({ strategy: 'jwt', accessToken }, { connection })
  expect(app.channel('room').connections).toEqual([connection])
})

import { expect, it } from 'vitest'
import { startLog } from './app.ts'

it('an event that has no publisher has no place: the position stays', async () => {
  const { log, things, toAll } = startLog()
  const { position } = log

  await things.create({ text: 'a' })
  expect(log.position).toBe(position)
  things.publish(toAll)
  await things.create({ text: 'b' })
  expect(log.position).toBe(position.replace('-0.0', '-1.1'))
})

it('publishers get the user of the call again, and no other param that hooks have set', async () => {
  const { log, connect, things, toAll } = startLog()
  const { position } = log
  const params: unknown[] = []

  things.publish((_data: unknown, context: any) => {
    params.push(context.params)

    return toAll()
  })
  await things.create({ text: 'a' }, { user: { id: 1 }, tenant: 2 })
  await log.resume(connect().connection, position)
  expect(params).toEqual([expect.objectContaining({ user: { id: 1 }, tenant: 2 }), { user: { id: 1 } }])
})

it('of a service one event with a publisher is enough for it to be in a gap', async () => {
  const { log, connect, things, toAll } = startLog()

  things.publish('custom', toAll)

  const { connection, heard } = connect()

  await log.resume(connection, 'another-1.1')
  expect(heard).toEqual([{ name: 'gap', payload: { services: ['things'], position: log.position } }])
})

it('a service that a plugin has put in place without registering it is in no gap', async () => {
  const { app, log, connect, things, toAll } = startLog()

  things.publish(toAll)
  app.services.legacy = { find: async () => [] }

  const { connection, heard } = connect()

  await log.resume(connection, 'another-1.1')
  expect(heard).toEqual([{ name: 'gap', payload: { services: ['things'], position: log.position } }])
})

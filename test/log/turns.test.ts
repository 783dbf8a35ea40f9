import { expect, it } from 'vitest'
import { emitConnection } from '../../src/core/joining.ts'
import { defer } from '../support/deferred.ts'
import { startLog, texts } from './app.ts'

it('connections whose listeners take long do not hold up others', async () => {
  const { app, log, connect, things, toAll } = startLog()

  things.publish(toAll)
  await things.create({ text: 'had' })

  const { position } = log

  await things.create({ text: 'missed' })
  app.on('connection', ({ isSlow }: any) => (isSlow ? new Promise(() => undefined) : undefined))

  const [resumed] = Array.from({ length: 21 }, (_, index) => {
    const { connection, heard } = connect('all', { isSlow: index < 20 })

    emitConnection(app, 'connection', [connection], connection)

    return { heard, done: log.resume(connection, position) }
  }).toReversed()

  await resumed?.done
  await things.create({ text: 'new' })
  expect(texts(resumed?.heard ?? [])).toEqual(['missed', 'new'])
})

it('a connection that logs in while it waits for its turn gets what its channels get then', async () => {
  const { app, log, connect, things } = startLog()
  const [turns, joins] = [defer<void>(), defer<void>()]
  let isBusy: Promise<void> | undefined

  things.publish(() => (isBusy ? isBusy.then(() => app.channel('members')) : app.channel('members')))
  await things.create({ text: 'had' })

  const { position } = log

  await things.create({ text: 'missed' })
  app.on('login', async (_result: unknown, { connection }: any) => {
    await joins.promise
    app.channel('members').join(connection)
  })

  isBusy = turns.promise

  // These have all turns.
  const others = Array.from({ length: 16 }, () => log.resume(connect().connection, position))
  const { connection, heard } = connect()
  const resumed = log.resume(connection, position)

  await new Promise(setImmediate)
  emitConnection(app, 'login', [{}, { connection }], connection)
  turns.resolve()
  await Promise.all(others)
  await new Promise(setImmediate)
  joins.resolve()
  await resumed
  expect(texts(heard)).toEqual(['missed'])
})

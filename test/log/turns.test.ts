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

    emitConnection(app, 'connection', connection)

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
  emitConnection(app, 'login', connection, [{}, { connection }])
  turns.resolve()
  await Promise.all(others)
  await new Promise(setImmediate)
  joins.resolve()
  await resumed
  expect(texts(heard)).toEqual(['missed'])
})

it('no more connections than there are turns get what they missed at a time, at whatever moment they come', async () => {
  const { log, connect, things, toAll } = startLog()
  const { position } = log
  const waits: ReturnType<typeof defer<void>>[] = []

  things.publish(toAll)
  await things.create({ text: 'missed' })
  things.publish(async () => {
    const wait = defer<void>()

    waits.push(wait)
    await wait.promise

    return toAll()
  })

  for (let moments = 0; moments < 20; moments++) {
    const resume = () => log.resume(connect().connection, position)
    // The last one waits for its turn.
    const resumed = Array.from({ length: 17 }, resume)

    await new Promise(setImmediate)
    waits.shift()?.resolve()
    for (let moment = 0; moment < moments; moment++) await undefined
    resumed.push(resume())
    await new Promise(setImmediate)
    expect(waits).toHaveLength(16)

    while (waits.length > 0) {
      for (const wait of waits.splice(0)) wait.resolve()
      await new Promise(setImmediate)
    }

    await Promise.all(resumed)
  }
})

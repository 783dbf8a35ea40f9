import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { getInternals } from '../../src/core/internals.ts'
import { emitConnection } from '../../src/core/joining.ts'
import { defer } from '../support/deferred.ts'
import { type Heard, startLog, texts } from './app.ts'

const last = (heard: readonly any[]) => heard.at(-1)

describe('a connection that comes back', () => {
  it('gets what it missed, once and in order, and then its position', async () => {
    const { log, connect, things, toAll } = startLog()

    things.publish(toAll)

    const before = connect()

    for (const text of ['a', 'b', 'c']) await things.create({ text })

    const { position } = (before.heard[0] as Heard).stamp
    const after = connect()

    await log.resume(after.connection, position)

    expect(texts(after.heard)).toEqual(['b', 'c'])
    expect(after.heard.map(({ stamp }) => stamp)).toEqual([
      before.heard[1]?.stamp,
      before.heard[2]?.stamp,
      undefined
    ])
    expect(last(after.heard)).toEqual({ name: '$position', payload: before.heard[2]?.stamp.position })
    await things.create({ text: 'd' })
    expect(texts(after.heard)).toEqual(['b', 'c', 'd'])
    expect(texts(before.heard)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('gets what publishers and channels say now, with the data that they send now', async () => {
    const { app, log, connect, things } = startLog()

    things.publish(({ room }: any, { params }: any) =>
      app.channel(room).send({ text: `${room} of ${params.provider}` })
    )

    const { position } = log

    for (const room of ['a', 'b', 'a'])
      await things.create({ room }, { provider: 'rest', headers: { secret: 1 } })

    const { connection, heard } = connect('b')

    await log.resume(connection, position)
    expect(texts(heard)).toEqual(['b of rest'])
  })

  it('gets of several channels in one what it would have got at once', async () => {
    const { app, log, connect, things } = startLog()
    const { position } = log
    const before = connect('a')

    app.channel('a').data = { text: 'of the channel' }
    things.publish(() => app.channel('a', 'b'))
    await things.create({ text: 'created' })

    const after = connect('a')

    await log.resume(after.connection, position)
    expect([texts(before.heard), texts(after.heard)]).toEqual([['created'], ['created']])
  })

  it('sees what is shown of a record, and gives publishers no headers', async () => {
    const { log, connect, things, toAll } = startLog()
    const contexts: any[] = []

    things.hooks({ after: { all: [async (context: any) => (context.dispatch = { text: 'shown' })] } })
    things.publish((data: any, context: any) => {
      contexts.push([data, context])

      return toAll()
    })

    const { position } = log

    await things.create({ text: 'hidden' }, { provider: 'rest', headers: { a: 1 }, query: { b: 2 } })

    const { connection, heard } = connect()

    await log.resume(connection, position)
    expect(texts(heard)).toEqual(['shown'])
    expect(contexts[1][0]).toEqual({ id: 0, text: 'hidden' })
    expect(contexts[1][1].params).toEqual({ provider: 'rest', query: { b: 2 } })
    expect(contexts[1][1].method).toBe('create')
  })

  it('gets the rest of an entry that was cut, and events of one call have one tx', async () => {
    const { log, connect, things, toAll } = startLog()

    things.publish(toAll)

    const before = connect()

    await things.create([{ text: 'a' }, { text: 'b' }, { text: 'c' }])
    await things.create({ text: 'd' })

    const after = connect()

    await log.resume(after.connection, before.heard[1]?.stamp.position)
    expect(texts(after.heard)).toEqual(['c', 'd'])

    const [a, b, c, d] = before.heard.map(({ stamp }) => stamp.tx)

    expect([b, c]).toEqual([a, a])
    expect(d).not.toBe(a)
  })

  it('gets events that happen meanwhile behind those that it missed', async () => {
    const { log, connect, things, toAll } = startLog()
    const slow = defer<void>()
    let asked = 0

    things.publish(async () => {
      // The second one asks for the replay.
      if (++asked === 2) await slow.promise

      return toAll()
    })

    const { position } = log

    await things.create({ text: 'a' })
    await turn()

    const { connection, heard } = connect()
    const resumed = log.resume(connection, position)

    await turn()
    await things.create({ text: 'b' })
    await turn()
    expect(texts(heard)).toEqual([])
    slow.resolve()
    await resumed
    expect(texts(heard)).toEqual(['a', 'b'])
  })

  it('gets each event once that happens at whatever moment of the end of a replay', async () => {
    const { log, connect, things, toAll } = startLog()

    things.publish(toAll)

    for (let moments = 0; moments < 12; moments++) {
      const { connection, heard } = connect()
      const resumed = log.resume(connection, log.position)

      for (let moment = 0; moment < moments; moment++) await undefined
      things.emit('custom', { text: 'a' })
      await resumed
      expect(texts(heard)).toEqual(['a'])
    }
  })

  it('does not get an event twice whose publisher had not decided when it came back', async () => {
    const { log, connect, things, toAll } = startLog()
    const slow = defer<void>()
    const waits = [slow.promise, undefined]

    things.publish(async () => {
      await waits.shift()

      return toAll()
    })

    const other = connect()
    const { position } = log

    await things.create({ text: 'a' })

    const { connection, heard } = connect()

    await log.resume(connection, position)
    slow.resolve()
    while (other.heard.length === 0) await turn()
    expect(texts(heard)).toEqual(['a'])
    await things.create({ text: 'b' })
    while (other.heard.length < 2) await turn()
    expect(texts(heard)).toEqual(['a', 'b'])
  })

  it('waits for what listeners of connection and login do for it', async () => {
    const { app, log, connect, things } = startLog()
    const joining = defer<void>()

    things.publish(() => app.channel('late'))

    const { position } = log

    await things.create({ text: 'a' })
    app.on('login', async (_result: unknown, { connection }: any) => {
      await joining.promise
      app.channel('late').join(connection)
    })

    const { connection, heard } = connect('none')

    emitConnection(app, 'login', connection, [{}, { connection }])

    const resumed = log.resume(connection, position)

    await turn()
    joining.resolve()
    await resumed
    expect(texts(heard)).toEqual(['a'])
  })

  it('gets nothing of a channel that it is no longer in', async () => {
    const { app, log, connect, things } = startLog()

    things.publish(() => app.channel('members'))

    const { position } = log

    await things.create({ text: 'a' })

    const { connection, heard } = connect('others')

    await log.resume(connection, position)
    expect(texts(heard)).toEqual([])
  })

  it('gets nothing that a publisher had chosen it for before it logged out', async () => {
    const { app, log, connect, things } = startLog()
    const asked = defer<void>()
    const slow = defer<void>()
    const { position } = log

    things.publish(() => app.channel('members'))
    await things.create({ text: 'a' })
    things.publish(async () => {
      const chosen = app.channel('members').filter(() => true)

      asked.resolve()
      await slow.promise

      return chosen
    })

    const { connection, heard } = connect('members')
    const resumed = log.resume(connection, position)

    await asked.promise
    app.emit('logout', {}, { connection })
    slow.resolve()
    await resumed
    expect(texts(heard)).toEqual([])
  })

  it('has one replay at a time, and a position that is one', async () => {
    const { log, connect, things, toAll } = startLog()
    const { connection } = connect()
    const { position } = log

    things.publish(toAll)
    await things.create({ text: 'a' })

    const resumed = log.resume(connection, position)

    expect(() => log.resume(connection, position)).toThrow('is being sent already')
    await resumed
    for (const invalid of [1, '', 'a', {}, `${position}.1`, '__proto__']) {
      expect(() => log.resume(connection, invalid)).toThrow('Invalid position')
    }
  })

  it('waits its turn, as many as there are, and one that has gone takes no turn', async () => {
    const { log, connect, things, toAll } = startLog()
    const { position } = log

    things.publish(toAll)
    await things.create({ text: 'a' })

    const many = Array.from({ length: 100 }, () => connect('none'))

    many[50]?.close()
    await Promise.all(many.map(({ connection }) => log.resume(connection, position)))
    expect(many.filter(({ heard }) => heard.length === 1)).toHaveLength(99)
  })
})

describe('a gap', () => {
  it('has the names of the services that had events since, and a position from which it goes on', async () => {
    const { app, log, connect, things, toAll } = startLog({ maxBytes: 10_000 })

    app
      .use('others', { create: async (data: unknown) => data })
      .service('others')
      .publish(toAll)
    app
      .use('silent', { create: async (data: unknown) => data })
      .service('silent')
      .publish(toAll)
    things.publish(toAll)
    await app.service('silent').create({})

    const { position } = log

    await app.service('others').create({})
    for (let n = 0; n < 100; n++) await things.create({ text: 'x'.repeat(200) })

    const { connection, heard } = connect()

    await log.resume(connection, position)
    expect(heard).toEqual([
      { name: 'gap', payload: { services: ['others', 'things'], position: log.position } }
    ])
  })

  it('is what remains of the position of another log, for all services with a publisher', async () => {
    const { app, log, connect, things, toAll } = startLog()

    things.publish(toAll)
    app.use('silent', { create: async (data: unknown) => data })

    const { connection, heard } = connect()

    await log.resume(connection, startLog().log.position)
    expect(heard).toEqual([{ name: 'gap', payload: { services: ['things'], position: log.position } }])
  })

  it('stands for an entry over an eighth of the bound, and others are sent around it', async () => {
    const { log, connect, things, toAll } = startLog({ maxBytes: 10_000 })

    things.publish(toAll)

    const live = connect()
    const { position } = log

    await things.create({ text: 'a' })
    await things.create({ text: 'x'.repeat(2000) })
    await things.create({ text: 'b' })
    expect(live.heard).toHaveLength(3)

    const { connection, heard } = connect()

    await log.resume(connection, position)
    expect(heard.map(({ name, payload }) => payload.text ?? name)).toEqual(['a', 'gap', 'b', '$position'])
    expect(heard[1]?.payload).toEqual({ services: ['things'], position: live.heard[1]?.stamp.position })
  })
})

describe('the position of an event', () => {
  it('is missing while one before it waits, and comes with that one', async () => {
    const { log, connect, things, toAll } = startLog()
    const slow = defer<void>()
    const waits = [slow.promise]

    things.publish(async () => {
      await waits.shift()

      return toAll()
    })

    const { heard } = connect()
    const { position: start } = log

    await things.create({ text: 'a' })
    await things.create({ text: 'b' })
    while (heard.length < 1) await turn()
    expect(heard[0]?.stamp).toEqual({ tx: expect.any(String), index: 0 })
    expect(log.position.split('-')[0]).toBe(start.split('-')[0])

    const late = connect()
    const resumed = log.resume(late.connection, log.position)

    slow.resolve()
    while (heard.length < 2) await turn()

    const { connection, heard: again } = connect()

    await resumed
    await log.resume(connection, heard[1]?.stamp.position)
    expect(texts(heard)).toEqual(['b', 'a'])
    expect(texts(late.heard)).toEqual(['a', 'b'])
    expect(texts(again)).toEqual(['b'])
    expect(again[0]?.stamp.tx).toBe(heard[0]?.stamp.tx)
  })

  it('is not there without a transport: nothing is kept', async () => {
    const { app, log, connect, things, toAll } = startLog()
    const { heard } = connect()

    things.publish(toAll)
    log.close()
    await things.create({ text: 'a' })
    expect(heard).toEqual([{ name: 'things created', payload: { id: 0, text: 'a' }, stamp: undefined }])
    expect(getInternals(app).log).toBeUndefined()
  })
})

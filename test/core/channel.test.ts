import { channels as officialChannels } from '@feathersjs/transport-commons'
import { describe, expect, it } from 'vitest'
import express from '../../src/express.ts'
import { alula, Channel, CombinedChannel } from '../../src/index.ts'

const createConnections = (count: number): any[] => Array.from({ length: count }, (_, id) => ({ id }))

describe('app.channel', () => {
  it('creates a channel at the first call, and returns it at all others', () => {
    const app = alula()
    const channel = app.channel('one')

    expect(channel).toBeInstanceOf(Channel)
    expect(app.channel('one')).toBe(channel)
    expect(app.channels).toEqual(['one'])
  })

  it('forgets some time those that nobody ever joined, and none that somebody listens to or is in', () => {
    const app = alula()
    const [connection] = createConnections(1)
    const heard: string[] = []
    const held = app.channel('held')

    app.channel('joined').join(connection)
    app.channel('listened').on('empty', () => heard.push('listened'))
    for (let index = 0; index < 5000; index++) app.channel(`users/${index}`)

    expect(app.channels.length).toBeLessThan(2100)
    expect(app.channels).toContain('joined')
    expect(app.channels).toContain('listened')
    expect(app.channels).not.toContain('held')

    held.join(connection)
    app.channel('listened').join(connection)
    expect(app.channel('held')).toBe(held)

    app.emit('disconnect', connection)
    expect(heard).toEqual(['listened'])
    expect(app.channels).not.toContain('held')
  })

  it('is the same for who has kept a channel that was forgotten', () => {
    const app = alula()
    const [a, b] = createConnections(2)
    const kept = app.channel('room').join(a).leave(a)

    expect(app.channels).toEqual([])

    kept.join(a)
    expect(app.channel('room')).toBe(kept)

    kept.leave(a)
    app.channel('room').join(b)
    kept.join(a)
    expect(app.channel('room').connections).toEqual([b, a])
  })

  it('takes no connection that has closed', () => {
    const app = alula()
    const [closed, open] = createConnections(2)
    const room = app.channel('room')

    app.emit('disconnect', closed)
    room.join(closed, open)
    app.channel('other').join(closed)

    expect(room.connections).toEqual([open])
    expect(app.channels).toEqual(['room'])
  })

  it('is one that listeners of logout can join, wherever they were registered', () => {
    const app = alula()
    const [connection] = createConnections(1)

    app.on('connection', (each) => app.channel('anonymous').join(each))
    app.on('logout', (_result, params) => app.channel('anonymous').join(params.connection))
    app.emit('connection', connection)
    app.emit('logout', {}, { connection })

    expect(app.channel('anonymous').length).toBe(1)
  })

  it('leaving an empty channel changes nothing', () => {
    const app = alula()
    const [connection] = createConnections(1)
    const channel = app.channel('room')

    channel.leave(connection).join(connection)

    expect(app.channel('room').connections).toEqual([connection])
  })

  it('takes any name for a name', () => {
    const app = alula()
    const [connection] = createConnections(1)

    for (const name of ['__proto__', 'constructor', 'toString']) app.channel(name).join(connection)

    expect(app.channels).toEqual(['__proto__', 'constructor', 'toString'])
    app.emit('disconnect', connection)
    expect(app.channels).toEqual([])
  })

  it.each([
    ['names', ['one', 'two']],
    ['a list', [['one', 'two']]]
  ])('combines channels for %s', (_title, names) => {
    const app = alula()
    const [a, b] = createConnections(2)

    app.channel('one').join(a)
    app.channel('two').join(a, b)

    const combined = app.channel(...(names as any[]))

    expect(combined).toBeInstanceOf(CombinedChannel)
    expect(combined.connections).toEqual([a, b])
  })

  it('refuses to be called without a name', () => {
    expect(() => alula().channel()).toThrow('app.channel needs at least one channel name')
    expect(() => alula().channel([])).toThrow('app.channel needs at least one channel name')
  })

  it('is there on an Express application too, and on one that was told to have channels as in Feathers v5', () => {
    for (const app of [express(alula()), alula().configure(officialChannels() as any)] as any[]) {
      const [connection] = createConnections(1)

      app.channel('one').join(connection)
      expect(app.channels).toEqual(['one'])
      app.emit('disconnect', connection)
      expect(app.channels).toEqual([])
    }
  })
})

describe('a channel', () => {
  it('has each connection once, in the order in which they came', () => {
    const [a, b] = createConnections(2)
    const channel = new Channel()

    expect(channel.join(a, undefined, b, a)).toBe(channel)
    expect(channel.connections).toEqual([a, b])
    expect(channel).toHaveLength(2)
    expect(channel.data).toBeNull()
  })

  it('is left by connections that are given, or chosen by a function', () => {
    const [a, b, c] = createConnections(3)
    const channel = new Channel([a, b, c])

    expect(channel.leave(b, undefined, { id: 9 })).toBe(channel)
    expect(channel.connections).toEqual([a, c])
    channel.leave(({ id }: any) => id === 2)
    expect(channel.connections).toEqual([a])
  })

  it('hands out copies', () => {
    const [a] = createConnections(1)
    const channel = new Channel([a])

    channel.connections.pop()
    expect(channel).toHaveLength(1)
  })

  it('makes others by filter and send, which keep the data and the connections', () => {
    const [a, b] = createConnections(2)
    const channel = new Channel([a, b], { secret: true })
    const filtered = channel.filter(({ id }: any) => id === 1)
    const sent = channel.send('hello')

    expect(filtered.connections).toEqual([b])
    expect(filtered.data).toEqual({ secret: true })
    expect(sent.connections).toEqual([a, b])
    expect(sent.data).toBe('hello')

    filtered.leave(b)
    expect(channel.connections).toEqual([a, b])
  })

  it('says when it is empty; one with a name is forgotten then, with its listeners', () => {
    const app = alula()
    const [a] = createConnections(1)
    const channel = app.channel('one').join(a)
    let count = 0

    channel.on('empty', () => count++)
    channel.leave(a)

    expect(count).toBe(1)
    expect(app.channels).toEqual([])
    expect(channel.listenerCount('empty')).toBe(0)
    expect(app.channel('one')).not.toBe(channel)
  })
})

describe('a combined channel', () => {
  it('gives a connection the data of the first channel that it is in, also when that is nothing', () => {
    const [a, b, c] = createConnections(3)
    const combined = new CombinedChannel([
      new Channel([a], 'first'),
      new Channel([b]),
      new Channel([a, b, c], 'last')
    ])

    expect(combined.connections).toEqual([a, b, c])
    expect([a, b, c].map((connection) => combined.dataFor(connection))).toEqual(['first', null, 'last'])
    expect(combined.dataFor({})).toBeNull()
  })

  it('passes join and leave on to all', () => {
    const [a, b] = createConnections(2)
    const channels = [new Channel([a]), new Channel()]
    const combined = new CombinedChannel(channels)

    combined.join(b)
    expect([...channels, combined].map(({ connections }) => connections)).toEqual([[a, b], [b], [a, b]])
    combined.leave(({ id }: any) => id === 1)
    expect([...channels, combined].map(({ length }) => length)).toEqual([1, 0, 1])
  })
})

describe('a connection that ends', () => {
  it('leaves all channels that it is in, and looks at no other', () => {
    const app = alula()
    const [a, b] = createConnections(2)
    const others = Array.from({ length: 100 }, (_, n) => app.channel(`other ${n}`).join(b))

    app.channel('one').join(a, b)
    app.channel('two').join(a)

    for (const other of others) other.leave = () => expect.unreachable('The connection is not in it')

    app.emit('disconnect', a)
    expect(app.channel('one').connections).toEqual([b])
    expect(app.channels).not.toContain('two')
  })

  it('leaves them at a logout as well', () => {
    const app = alula()
    const [a] = createConnections(1)

    app.channel('one').join(a)
    app.emit('logout', {}, {}, {})
    expect(app.channels).toEqual(['one'])
    app.emit('logout', {}, { connection: a }, {})
    expect(app.channels).toEqual([])
  })
})

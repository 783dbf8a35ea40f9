import { describe, expect, it } from 'vitest'
import { defer } from '../support/deferred.ts'
import { until } from '../support/until.ts'
import { startLog, texts } from './app.ts'

class Tag {
  name = 'b'
}

/** A result that is an instance, with others in it. */
class Thing {
  readonly id = 0
  text = 'a'
  tags = [new Tag()]
  of = { name: 'c' }
  readonly link = new URL('http://localhost/a')
  readonly at = new Date(0)
  readonly bytes = new Uint8Array([1])
  readonly names = new Map([['a', 1]])
  #owner = 'ann'

  get owner() {
    return this.#owner
  }

  change() {
    Object.assign(this, { text: 'a secret', code: 'a secret' })
    Object.assign(this.tags[0] as Tag, { name: 'a secret' })
    this.of.name = 'a secret'
    this.link.pathname = 'secret'
  }
}

/** One that says itself what JSON has of it. */
class Document extends Thing {
  readonly fields = { text: 'a', tags: [new Tag()] }

  toJSON() {
    return this.fields
  }

  override change() {
    Object.assign(this.fields, { text: 'a secret' })
    Object.assign(this.fields.tags[0] as Tag, { name: 'a secret' })
  }
}

class Copied extends Thing {
  toJSON() {
    const names: string[] = ['id', 'text']

    return Object.assign(
      new Copied(),
      Object.fromEntries(
        Object.keys(this).map((name) => [name, names.includes(name) ? this[name as 'id'] : undefined])
      )
    )
  }
}

const SENT = {
  ...{ id: 0, text: 'a', tags: [{ name: 'b' }], of: { name: 'c' }, link: 'http://localhost/a' },
  ...{ at: new Date(0), bytes: new Uint8Array([1]), names: new Map([['a', 1]]) }
}

it.each<[string, (context: any) => void]>([
  ['is the result', () => undefined],
  [
    'hooks show in place of the result',
    (context) => {
      context.dispatch = { ...context.result }
    }
  ]
])('a replay sends what %s at the time of the event, without later changes', async (_name, show) => {
  const { log, connect, things, toAll } = startLog()
  const { position } = log
  let dispatch: any

  things.hooks({
    after: {
      create: [
        async (context: any) => {
          show(context)
          dispatch = context.dispatch
        }
      ]
    }
  })
  things.publish(toAll)

  const before = connect()
  const created = await things.create({ text: 'a', tags: ['b'], of: { name: 'c' } })

  expect(before.heard).toHaveLength(1)

  for (const changed of [created, dispatch ?? {}]) Object.assign(changed, { code: 'a secret' })

  created.tags.push('a secret')
  created.of.code = 'a secret'

  const { connection, heard } = connect()

  await log.resume(connection, position)
  expect(texts(heard)).toEqual(['a'])
  expect(heard[0]?.payload).toEqual({ id: 0, text: 'a', tags: ['b'], of: { name: 'c' } })
})

it('an event that waits for its publisher is sent as it was, without later changes', async () => {
  const { app, connect, things } = startLog()
  const gate = defer<void>()
  const { heard } = connect()

  things.publish(() => gate.promise.then(() => app.channel('all')))

  const [created] = await things.create([{ text: 'a', of: { name: 'b' } }, { text: 'c' }])

  Object.assign(created, { code: 'a secret' })
  created.of.code = 'a secret'
  gate.resolve()
  await until(() => expect(heard).toHaveLength(2))
  expect(heard.map(({ payload }) => payload)).toEqual([
    { id: 0, text: 'a', of: { name: 'b' } },
    { id: 1, text: 'c' }
  ])
})

it('an event of which it is not known what clients see ends nothing, whatever its publisher does', async () => {
  const { app, connect, things } = startLog()
  const gate = defer<void>()
  const errors: any[] = []
  const { heard } = connect()

  app.on('error', (error: any) => errors.push(error))
  things.publish(() => gate.promise.then(() => Promise.reject(new Error('late'))))
  things.emit('created', { text: 'a' }, { app, path: 'things', result: [{}], dispatch: [{}] })
  await until(() => expect(errors).toMatchObject([{ code: 'ALULA_UNKNOWN_ITEM' }]))
  gate.resolve()
  await new Promise(setImmediate)
  expect(heard).toEqual([])
})

describe.each<[string, () => Thing, object]>([
  ['an instance of a class', () => new Thing(), SENT],
  ['an instance with toJSON', () => new Document(), { text: 'a', tags: [{ name: 'b' }] }],
  ['an instance whose toJSON returns another one', () => new Copied(), { id: 0, text: 'a' }]
])('%s that is the result of a call', (_name, make, sent) => {
  /** A publisher that asks the instance for its owner. */
  function publishToOwner({ app }: any, gate?: Promise<void>) {
    return ({ owner }: Thing) => {
      const channel = owner === 'ann' && app.channel('all')

      return gate ? gate.then(() => channel) : channel
    }
  }

  it('is sent as it was to a connection that comes back', async () => {
    const { app, log, connect } = startLog()
    const { position } = log

    app.use('documents', { create: async () => make() })
    app.service('documents').publish(publishToOwner({ app }))

    const before = connect()
    const created = await app.service('documents').create({})

    created.change()

    const { connection, heard } = connect()

    await log.resume(connection, position)
    expect(before.heard).toHaveLength(1)
    expect(heard[0]?.payload).toEqual(sent)
  })

  it('is sent as it was once its publisher has decided', async () => {
    const { app, connect } = startLog()
    const gate = defer<void>()
    const { heard } = connect()

    app.use('documents', { create: async () => make() })
    app.service('documents').publish(publishToOwner({ app }, gate.promise))

    const created = await app.service('documents').create({})

    created.change()
    gate.resolve()
    await until(() => expect(heard).toHaveLength(1))
    expect(heard[0]?.payload).toEqual(sent)
  })
})

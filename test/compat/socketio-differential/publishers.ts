import { defer } from '../../support/deferred.ts'
import { all, create, everybody, keysOf, notes, published, type Script } from './script.ts'

/** What one publisher makes of the event of one call. */
const publishers: { [title: string]: (app: any, connections: readonly any[]) => unknown } = {
  'returns a channel': (app) => all(app),
  'returns undefined': () => undefined,
  'returns null': () => null,
  'returns false': () => false,
  'returns an empty list': () => [],
  'returns a list of nothing': () => [undefined, null, false],
  'returns a list of a channel': (app) => [all(app)],
  'returns a channel twice': (app) => [all(app), all(app)],
  'returns nested lists': (app) => [[[all(app)], undefined], [[]]],
  'returns a promise of a channel': async (app) => all(app),
  'returns a promise of nothing': async () => undefined,
  'returns an empty channel': (app) => app.channel('nobody'),
  'returns several channels by name': (app) => app.channel('all', 'others'),
  'returns a list of names as a channel': (app) => app.channel(['all', 'others']),
  throws: () => {
    throw new Error('no publisher')
  },
  rejects: async () => {
    throw new Error('no publisher')
  },
  'sends data': (app) => all(app).send({ sent: true }),
  'sends a list': (app) => all(app).send([1, 2]),
  'sends null': (app) => all(app).send(null),
  'sends undefined': (app) => all(app).send(undefined),
  'sends 0': (app) => all(app).send(0),
  'sends an empty text': (app) => all(app).send(''),
  'sends false': (app) => all(app).send(false),
  'sends data over data': (app) => all(app).send({ first: true }).send({ second: true }),
  'sends bytes': (app) => all(app).send(Buffer.from('abc')),
  'sends to combined channels': (app) => app.channel('all', 'others').send({ sent: true }),
  'sends data to one, and all of it to the others': (app, [first]) => [
    app.channel('first').join(first).send({ forFirst: true }),
    all(app)
  ],
  'sends all of it to one, and data to the others': (app, [first]) => [
    app.channel('first').join(first),
    all(app).send({ forOthers: true })
  ],
  'sends null to one, and data to the others': (app, [first]) => [
    app.channel('first').join(first).send(null),
    all(app).send({ forOthers: true })
  ],
  'sends different data to each': (app, connections) =>
    connections.map((connection, n) => app.channel(`of ${n}`).join(connection).send({ n })),
  'filters a channel': (app, [first]) => all(app).filter((connection: any) => connection === first),
  'filters a channel that sends data': (app, [first]) =>
    all(app)
      .send({ sent: true })
      .filter((connection: any) => connection !== first),
  'returns a channel that one has left': (app, [first]) => all(app).leave(first),
  'returns a channel that one has left by a function': (app, [first]) =>
    all(app).leave((connection: any) => connection === first),
  'returns a channel that one has joined twice': (app, [first]) =>
    all(app).join(first).join(first, undefined),
  'returns combined channels that one has left': (app, [first]) => {
    app.channel('others').join(first)

    return app.channel('all', 'others').leave(first)
  },
  'returns a channel of somebody who has no socket': (app) =>
    app.channel('strangers').join({ name: 'stranger' })
}

const names = ['created of the service', 'all of the service', 'created of the app', 'all of the app']

/** Publishers of all kinds, without the first ones: those of the next kind count. */
const precedence = names.map(
  (_name, missing): Script => ({
    title: `precedence of publishers, without ${names.slice(0, missing).join(', ') || 'leaving one out'}`,
    ...published((app) => {
      const service = app.service('notes')
      const publish = (name: string) => () => all(app).send({ by: name })

      for (const name of names.slice(missing)) {
        const target = name.endsWith('service') ? service : app

        if (name.startsWith('created')) target.publish('created', publish(name))
        else target.publish(publish(name))
      }
    }),
    act: async ({ send }) => {
      await send(create)
      await send(['patch', 'notes', 1, {}, {}])
    }
  })
)

export const publisherScripts: readonly Script[] = [
  ...precedence,
  ...Object.entries(publishers).map(
    ([title, publish]): Script => ({
      title: `a publisher ${title}`,
      clients: 2,
      configure: (app) => {
        const connections: any[] = []

        app.on('connection', (connection: any) => connections.push(connection))
        everybody(app)
        app.use('notes', notes)
        app.service('notes').publish('created', () => publish(app, connections))
      },
      act: ({ send }) => send(create)
    })
  ),
  {
    title: 'what a publisher is called with',
    ...published(() => undefined),
    act: async ({ app, send }) => {
      const calls: unknown[] = []

      app.service('notes').publish((data: any, { path, method, type, id, result, params }: any) => {
        calls.push([data, path, method, type, id ?? null, result, params.provider, params.query])
      })
      await send(['patch', 'notes', 1, { n: 1 }, { q: 1 }])
      await send(['create', 'notes', [{ n: 1 }, { n: 2 }], {}])

      return calls
    }
  },
  {
    title: 'what a publisher of a custom event is called with',
    ...published(() => undefined, { events: ['progress'] }),
    act: async ({ app, settle }) => {
      const calls: unknown[] = []

      app.service('notes').publish('progress', (data: unknown, context: any) => {
        calls.push([data, keysOf(context), context.path, context.result, context.app === app])
      })
      app.service('notes').emit('progress', { percent: 5 })
      await settle()

      return calls
    }
  },
  {
    title: 'a publisher that is slower than the next',
    ...published(() => undefined),
    act: async ({ app, send, settle }) => {
      const first = defer()

      app.service('notes').publish(async ({ n }: any) => {
        if (n === 1) await first.promise

        return all(app)
      })
      await send(['patch', 'notes', 7, { n: 1 }, {}])
      await send(['patch', 'notes', 7, { n: 2 }, {}])
      first.resolve()
      await settle()
    }
  }
]

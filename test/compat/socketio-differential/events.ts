import type { Socket } from 'socket.io-client'
import { ask } from '../../support/sockets.ts'
import { all, create, everybody, notes, published, type Script } from './script.ts'

/** Sets the dispatch of a method. */
const dispatching =
  (method: string, toDispatch: (context: any) => unknown) =>
  (app: any): void => {
    app.service('notes').hooks({
      after: {
        [method]: [
          async (context: any) => {
            context.dispatch = toDispatch(context)
          }
        ]
      }
    })
    app.publish(() => all(app))
  }

/** What is said to all connections by a service itself. */
const customEvents: { [title: string]: readonly unknown[] } = {
  'an object': ['progress', { percent: 50 }],
  'a list': ['progress', [1, 2]],
  'a text': ['progress', 'half'],
  'a number': ['progress', 5],
  zero: ['progress', 0],
  false: ['progress', false],
  null: ['progress', null],
  nothing: ['progress'],
  'bytes inside': ['progress', { bytes: Buffer.from('abc') }],
  'a context': ['progress', { a: 1 }, { path: 'other', result: { b: 2 } }],
  'a context with dispatch': ['progress', { a: 1 }, { path: 'notes', result: { b: 2 }, dispatch: { c: 3 } }],
  'a context without a path': ['progress', { a: 1 }, { result: { b: 2 } }],
  'a context of a list': ['progress', { a: 1 }, { path: 'notes', result: [{ a: 1 }, { a: 2 }] }],
  'a context of a list that does not hold it': [
    'progress',
    { a: 3 },
    { path: 'notes', result: [{ a: 1 }, { a: 2 }] }
  ],
  'the name of a standard event': ['created', { a: 1 }],
  'a name that is not declared': ['unknown', { a: 1 }]
}

/** What clients get of a result of several items. */
const lists: { [title: string]: (context: any) => unknown } = {
  'the result': ({ result }) => result,
  'a copy of the result': ({ result }) => result.map((item: any) => ({ ...item })),
  'items with less in them': ({ result }) => result.map(({ id }: any) => ({ id })),
  'fewer items': ({ result }) => result.slice(0, 1),
  'no items': () => [],
  'no list': () => ({ dispatched: true }),
  null: () => null,
  undefined: () => undefined
}

export const eventScripts: readonly Script[] = [
  {
    title: 'events of all methods',
    clients: 2,
    ...published((app) => app.publish(() => all(app))),
    act: async ({ send }) => {
      await send(['find', 'notes', {}])
      await send(['get', 'notes', 1, {}])
      await send(create)
      await send(['update', 'notes', 1, { n: 2 }, {}])
      await send(['patch', 'notes', 1, { n: 3 }, {}])
      await send(['remove', 'notes', 1, {}])
    }
  },
  {
    title: 'events of several items',
    clients: 2,
    ...published((app) => app.publish(() => all(app))),
    act: async ({ send }) => {
      await send(['create', 'notes', [{ n: 1 }, { n: 2 }], {}])
      await send(['create', 'notes', [], {}])
      await send(['patch', 'notes', null, { n: 3 }, {}])
      await send(['remove', 'notes', null, {}])
    }
  },
  {
    title: 'events of several items that look the same',
    ...published((app) => app.publish(() => all(app))),
    act: ({ send }) => send(['create', 'notes', [{ n: 1 }, { n: 1 }], {}])
  },
  {
    title: 'events of calls by the server',
    ...published((app) => app.publish(() => all(app))),
    act: async ({ app, settle }) => {
      await app.service('notes').create({ n: 1 })
      await settle()
      await app.service('notes').remove(null)
    }
  },
  {
    title: 'events of calls without an acknowledgement',
    ...published((app) => app.publish(() => all(app))),
    act: ({ clients: [socket] }) => {
      socket?.emit('create', 'notes', { n: 1 })
      socket?.emit('create', 'notes', { n: 2 }, {})
      socket?.emit('create', 'nothing', { n: 3 })
      socket?.emit('remove', 'notes', 4, {}, {}, {})
    }
  },
  {
    title: 'many calls at once',
    ...published((app) => app.publish(() => all(app))),
    act: async ({ clients: [socket] }) => {
      const answers: number[] = []

      // How answers and events mix depends on the network; each of them come in their order.
      await Promise.all(
        Array.from({ length: 20 }, async (_, n) => {
          const [, result] = await ask(socket as Socket, 'create', 'notes', { n }, {})

          answers.push(result.n)
        })
      )

      return answers
    }
  },
  {
    title: 'no publisher',
    ...published(() => undefined),
    act: ({ send }) => send(create)
  },
  {
    title: 'a call that fails has no event',
    configure: (app, { errors }) => {
      everybody(app)
      app.use('notes', {
        create: async () => {
          throw new errors.Conflict('Taken')
        }
      })
      app.publish(() => all(app))
    },
    act: ({ send }) => send(create)
  },
  ...Object.entries(customEvents).map(
    ([title, values]): Script => ({
      title: `a service emits ${title}`,
      clients: 2,
      ...published((app) => app.publish(() => all(app)), { events: ['progress'] }),
      act: async ({ app, settle }) => {
        app.service('notes').emit(...values)
        await settle()
      }
    })
  ),
  {
    title: 'a custom method has no event',
    configure: (app) => {
      everybody(app)
      app.use('notes', { greet: async () => ({ hello: 1 }) }, { methods: ['greet'], events: ['greet'] })
      app.publish(() => all(app))
    },
    act: ({ send }) => send(['greet', 'notes', {}, {}])
  },
  ...[null, undefined, 0, '', false, 'text', []].map(
    (result): Script => ({
      title: `an event of the result ${result === undefined ? 'undefined' : JSON.stringify(result)}`,
      configure: (app) => {
        everybody(app)
        app.use('notes', { create: async () => result })
        app.publish(() => all(app))
      },
      act: ({ send }) => send(create)
    })
  ),
  ...[{ dispatched: true }, null, undefined, 0, '', false, [1]].map(
    (dispatch): Script => ({
      title: `an event of the dispatch ${dispatch === undefined ? 'undefined' : JSON.stringify(dispatch)}`,
      ...published(dispatching('create', () => dispatch)),
      act: ({ send }) => send(create)
    })
  ),
  ...Object.entries(lists).map(
    ([title, toDispatch]): Script => ({
      title: `events of several items whose dispatch is ${title}`,
      ...published(dispatching('patch', toDispatch)),
      act: ({ send }) => send(['patch', 'notes', null, { secret: 1 }, {}])
    })
  ),
  {
    title: 'channel data before dispatch',
    ...published((app) => {
      dispatching('create', () => ({ dispatched: true }))(app)
      app.publish(() => all(app).send({ sent: true }))
    }),
    act: ({ send }) => send(create)
  },
  {
    title: 'channel data of several items',
    ...published((app) => app.publish((item: any) => all(app).send({ of: item.id }))),
    act: ({ send }) => send(['patch', 'notes', null, {}, {}])
  },
  {
    title: 'channel data that are a list, of several items',
    ...published((app) => app.publish(() => all(app).send([1, 2]))),
    act: ({ send }) => send(['patch', 'notes', null, {}, {}])
  },
  {
    title: 'the paths of placeholders in events',
    configure: (app) => {
      everybody(app)
      app.use('users/:userId/notes', notes)
      app.publish(() => all(app))
    },
    act: ({ send }) => send(['create', 'users/5/notes', { n: 1 }, {}])
  }
]

import { feathers as officialFeathers } from '@feathersjs/feathers'
import officialRest from '@feathersjs/rest-client'
import officialSocket from '@feathersjs/socketio-client'
import { describe, expect, it } from 'vitest'
import { alula as clientOf, rest as ownRest, socketio as ownSocket } from '../../src/client.ts'
import express, { errorHandler, rest } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { socketio } from '../../src/socketio.ts'
import { serve } from '../support/server.ts'
import { connectSocket } from '../support/sockets.ts'

// Nested and single records through the clients of Feathers v5, and through ours: the calls are the same.

async function start(): Promise<string> {
  const app = express(alula())

  app.configure(rest()).configure(socketio({ logger: false }))
  app.use('articles', memory({ store: { 1: { id: 1, slug: 'intro' }, 2: { id: 2, slug: 'outro' } } }), {
    by: 'slug'
  })
  app.use('articles/:slug/comments', memory({ startId: 1, multi: true }), {
    parent: { articleId: 'articles' }
  })
  app.use('user', memory({ store: { 7: { id: 7, name: 'Ada' }, 8: { id: 8, name: 'Grace' } } }), {
    singleton: ({ headers }) => (headers?.caller === 'ada' ? 7 : undefined)
  })
  app.use(errorHandler({ logger: false }))

  return serve(app as any)
}

const headers = { caller: 'ada' }

const METHODS = { methods: ['get', 'update', 'patch', 'remove'] }

type Connect = (url: string) => Promise<any>

const connections: { [name: string]: { over: 'REST' | 'sockets'; connect: Connect } } = {
  'the official REST client': {
    over: 'REST',
    connect: async (url) => officialFeathers().configure((officialRest as any)(url).fetch(fetch, { headers }))
  },
  'the official Socket.IO client': {
    over: 'sockets',
    connect: async (url) =>
      officialFeathers().configure(
        (officialSocket as any)(await connectSocket(url, { extraHeaders: headers }))
      )
  },
  'the REST client of alula': {
    over: 'REST',
    connect: async (url) => {
      const connection = ownRest(url).fetch(fetch, { headers })

      return clientOf()
        .configure(connection)
        .use('user', connection.service('user'), { ...METHODS, singleton: true })
    }
  },
  'the Socket.IO client of alula': {
    over: 'sockets',
    connect: async (url) => {
      const connection = ownSocket(await connectSocket(url, { extraHeaders: headers }))

      return clientOf()
        .configure(connection)
        .use('user', connection.service('user'), { ...METHODS, singleton: true })
    }
  }
}

const failure = (call: Promise<unknown>): Promise<any> =>
  call.then(
    (result) => ({ result }),
    (error) => error
  )

describe.each(Object.entries(connections))('%s', (_name, { over, connect }) => {
  it('calls a nested service by the path of the parent', async () => {
    const client = await connect(await start())
    const [intro, outro] = ['intro', 'outro'].map((slug) => client.service(`articles/${slug}/comments`))

    expect(await intro.create({ text: 'a' })).toEqual({ id: 1, text: 'a', articleId: 1 })
    expect(await outro.create([{ text: 'b' }])).toEqual([{ id: 2, text: 'b', articleId: 2 }])
    expect(await intro.find()).toEqual([{ id: 1, text: 'a', articleId: 1 }])
    expect(await intro.update(1, { text: 'c' })).toEqual({ id: 1, text: 'c', articleId: 1 })
    expect(await intro.patch(null, { text: 'd' })).toHaveLength(1)
    expect(await failure(intro.get(2))).toMatchObject({ name: 'NotFound' })
    expect(await failure(intro.create({ text: 'x', articleId: 2 }))).toMatchObject({ name: 'BadRequest' })
    expect(await failure(client.service('articles/other/comments').find())).toMatchObject({
      name: 'NotFound'
    })
    expect(await outro.remove(2)).toMatchObject({ id: 2 })
  })

  it('calls a single record with null as its id', async () => {
    const client = await connect(await start())
    const user = client.service('user')

    expect(await user.get(null)).toEqual({ id: 7, name: 'Ada' })
    expect(await user.patch(null, { name: 'A' })).toEqual({ id: 7, name: 'A' })
    expect(await user.update(null, { name: 'B' })).toEqual({ id: 7, name: 'B' })
    expect(await failure(user.get(8))).toMatchObject({ name: 'NotFound' })
    // A URL has no place for it.
    expect(await failure(user.get(7))).toMatchObject(
      over === 'REST' ? { name: 'NotFound' } : { result: { id: 7 } }
    )
    expect(await user.remove(null)).toMatchObject({ id: 7 })
    expect(await failure(user.get(null))).toMatchObject({ name: 'NotFound' })
  })
})

it('get without an id is refused by our client where the record is not declared as a single one', async () => {
  const client = clientOf().configure(ownRest(await start()).fetch(fetch, { headers }))

  expect(await failure(client.service('user').get(null as any))).toMatchObject({ name: 'BadRequest' })
})

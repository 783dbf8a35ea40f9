import { expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone, owner, user } from '../../../src/access.ts'
import type { Application } from '../../../src/index.ts'
import { memory } from '../../../src/memory.ts'
import { one, schema } from '../../../src/schema.ts'
import { socketio } from '../../../src/socketio.ts'
import { createApp, USERS } from '../../../test/access/support/application.ts'
import { type ProofOptions, proveExposure } from '../src/index.ts'

const users = { user: USERS[1], owner: USERS[2] }

/** What a proof says of an application; nothing where it is proved. */
async function prove(app: Application, options: ProofOptions): Promise<readonly string[]> {
  await app.setup()

  return await proveExposure(app, { log: false, ...options }).then(
    () => [],
    (error) => error.message.split('\n')
  )
}

/** Houses by name, with rooms, with lamps. */
function createHouses(): Application {
  const app = createApp()

  app.configure(socketio())
  app.use('houses', memory({ store: { 1: { id: 1, name: 'a b' }, 2: { id: 2, name: 'c' } } as never }), {
    by: 'name',
    methods: ['get'],
    access: access({ get: anyone })
  })
  app.use(
    'houses/:house/rooms',
    memory({ store: { 3: { id: 3, houseId: 2 }, 4: { id: 4, houseId: 1 } } as never }),
    {
      methods: ['find', 'get'],
      parent: { houseId: 'houses' },
      access: access({ all: anyone })
    }
  )
  app.use(
    'houses/:house/rooms/:room/lamps',
    memory({ store: { 5: { id: 5, roomId: 4, ownerId: 2 } } as never }),
    {
      parent: { roomId: { service: 'houses/:house/rooms', placeholder: 'room' } },
      access: access({ all: owner('ownerId') })
    }
  )

  return app
}

it('the values of placeholders are those of the parents of a record, and of their parents', async () => {
  const records = { houses: 2, 'houses/:house/rooms': 3, 'houses/:house/rooms/:room/lamps': 5 }
  const data = { 'houses/:house/rooms/:room/lamps': { ownerId: 2 } }

  expect(await prove(createHouses(), { users, records, data })).toEqual([])
})

it('a parent that is the only record of its service does not show that others have none of its records', async () => {
  const app = createApp()

  app.use('houses', memory({ store: { 1: { id: 1 } } as never }), {
    methods: ['get'],
    access: access({ get: anyone })
  })
  app.use('houses/:house/rooms', memory({ store: { 3: { id: 3, houseId: 1 } } as never }), {
    methods: ['get'],
    parent: { houseId: 'houses' },
    access: access({ get: anyone })
  })

  expect(await prove(app, { records: { houses: 1, 'houses/:house/rooms': 3 } })).toEqual([
    "houses/:house/rooms.get: 'houses' has no other record. Give 'records: { houses: () => … }', which makes a record for each call"
  ])
})

it('the one record of a caller is called without an id, and each caller may remove it', async () => {
  const app = createApp()
  const entities = memory({ store: { 1: { id: 1, secret: 'a' }, 2: { id: 2, secret: 'b' } } as never })

  app.configure(socketio())
  app.use('me', entities, {
    methods: ['get', 'patch', 'remove'],
    singleton: ({ user }) => user.id,
    access: access({ all: user })
  })

  expect(await prove(app, { users })).toEqual([])
})

it('a single record of all callers is none of the owner, or names its callers', async () => {
  const create = () => {
    const app = createApp()

    app.use('settings', memory({ store: { 1: { id: 1, theme: 'light' } } as never }), {
      methods: ['get'],
      singleton: () => 1,
      access: access({ get: user })
    })

    return app
  }
  const records = { settings: 1 }

  expect(await prove(create(), { users })).toEqual([])
  expect(await prove(create(), { users, records })).toHaveLength(1)
  expect(
    await prove(create(), { users, records, callers: { settings: { get: ['user', 'owner'] } } })
  ).toEqual([])
})

it('what a relation brings belongs to the owner of the related record', async () => {
  const app = createApp()
  const Article = z.object({ id: z.int(), text: z.string(), authorId: z.int() })
  const Comment = z.object({
    id: z.int(),
    articleId: z.int(),
    authorId: z.int()
  })

  app.use('articles', memory({ store: { 7: { id: 7, text: 'a', authorId: 2 } } as never }), {
    methods: ['find', 'get'],
    schema: schema(Article),
    access: access({ find: anyone, get: anyone })
  })
  app.use('articles/:id/comments', memory(), {
    methods: ['find', 'create'],
    parent: { articleId: { service: 'articles', placeholder: 'id' } },
    schema: schema(Comment, {
      server: { authorId: ({ params }) => params.user?.id },
      relations: { article: one('articles', { from: 'articleId' }) }
    }),
    access: access({ all: owner('authorId') })
  })

  const comment = { articleId: 7, authorId: 2 }
  const records = {
    articles: 7,
    'articles/:id/comments': () => app.service('articles/:id/comments')._create(comment)
  }
  const query = { 'articles/:id/comments': { $include: ['article'] } }
  const lines = await prove(app, { users, records, query })

  expect(lines).toEqual([
    "articles/:id/comments.find: 'articles' has no other record. Give 'records: { articles: () => … }', which makes a record for each call"
  ])
})

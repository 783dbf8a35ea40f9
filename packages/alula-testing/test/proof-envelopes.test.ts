import { expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone, owner, user } from '../../../src/access.ts'
import type { Application } from '../../../src/index.ts'
import { MemoryService } from '../../../src/memory.ts'
import { type SchemaSettings, schema } from '../../../src/schema.ts'
import { socketio } from '../../../src/socketio.ts'
import { createApp, USERS } from '../../../test/access/support/application.ts'
import { proveExposure } from '../src/index.ts'

const Note = z.object({
  id: z.int(),
  slug: z.string(),
  text: z.string(),
  ownerId: z.int(),
  secret: z.string()
})
const RULES = { find: owner('ownerId'), create: user, patch: owner('ownerId'), share: user, star: anyone }

class Notes extends MemoryService<any> {
  async share({ with: other }: { with: number }): Promise<any> {
    return [other]
  }

  async star(_data: unknown, { route }: any): Promise<any> {
    return { starred: route.slug === 'intro' }
  }
}

/** What a proof says of notes in envelopes; nothing where they are proved. */
async function prove(settings: SchemaSettings = {}, configure?: (app: Application) => unknown) {
  const app = createApp()
  const store = { 7: { id: 7, slug: 'intro', text: 'a', ownerId: 2, secret: 'for my eyes only' } }

  app.configure(socketio())
  app.use('notes', new Notes({ store, paginate: { default: 5 } } as never), {
    by: 'slug',
    methods: ['find', 'create', 'patch', 'share', 'star'],
    routes: { 'PUT /:slug/star': 'star' },
    schema: schema(Note, {
      hidden: ['secret', 'ownerId'],
      server: {
        ownerId: ({ params }) => params.user?.id,
        slug: () => crypto.randomUUID(),
        secret: () => 'x'
      },
      envelope: { one: 'note', many: 'notes', total: 'count', request: true },
      methods: { share: { data: z.object({ with: z.int() }), result: z.array(z.int()) } },
      ...settings
    }),
    access: access(RULES)
  })
  configure?.(app)
  await app.setup()

  return await proveExposure(app, {
    users: { user: USERS[1], owner: USERS[2] },
    records: { notes: 7 },
    data: { notes: { text: 'b', share: { with: 1 } } },
    log: false
  }).then(
    () => [],
    (error) => error.message.split('\n')
  )
}

it('data is in the envelope of its service, and records are found in it', async () => {
  expect(await prove()).toEqual([])
  expect(await prove({ envelope: { one: 'note', many: 'notes' } })).toEqual([])
})

it('a list in an envelope has no record of others, and an empty one does not show whose records it has', async () => {
  const readAll = await prove({}, (app) =>
    app.service('notes').hooks({
      after: {
        find: [async (context: any) => void Object.assign(context, { result: await context.service._find() })]
      }
    })
  )
  const readNone = await prove({}, (app) =>
    app
      .service('notes')
      .hooks({ after: { find: [({ result }: any) => void Object.assign(result, { data: [] })] } })
  )

  expect(readAll).toContain(
    "notes.find over rest as user: the table says owner('ownerId') for 'find', and the response has a record of another user"
  )
  expect(readNone).toEqual([
    "notes.find as owner never succeeded: the response has no record. Give 'records: { notes: () => … }', which makes a record for each call"
  ])
})

it('a hidden field in an envelope is found', async () => {
  const lines = await prove({}, (app) =>
    app.service('notes').hooks({
      after: { patch: [({ result }: any) => void Object.assign(result, { text: result.secret })] }
    })
  )

  expect(lines).toContain("notes.patch over rest as owner: 'secret' is hidden, and the response has it")
})

it('the application may change the statuses of errors', async () => {
  const errorStatus = { BadRequest: 422, Forbidden: 418, NotFound: 410 }

  expect(await prove({}, (app) => app.set('errorStatus', errorStatus))).toEqual([])
  // What it does not change is no refusal.
  expect(
    await prove({}, (app) => {
      app.set('errorStatus', errorStatus)
      app.service('notes').hooks({
        error: {
          patch: [({ error }: any) => void Object.assign(error, { code: 409 })]
        }
      })
    })
  ).toContain("notes.patch over rest as user: the table says owner('ownerId'), the response is 409")
})

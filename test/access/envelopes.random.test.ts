import { createTestClient, loginAs } from 'alula-testing'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone, owner, user } from '../../src/access.ts'
import { MemoryService } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { handleSocket } from '../../src/transport/socket.ts'
import { scaled } from '../support/scale.ts'
import { createApp, USERS } from './support/application.ts'

const SECRET = 'sentinel-4711'

const Note = z.object({
  id: z.int(),
  text: z.string(),
  ownerId: z.int().nullish(),
  secret: z.string().optional()
})

/** Grace owns some of the records, and calls. */
const GRACE = 2

const SEED = [GRACE, 1, null, GRACE, 1].map((ownerId) => ({ text: 'a', ownerId, secret: SECRET }))

class Notes extends MemoryService<any> {
  async mine(_data: unknown, params: any) {
    return await this.find({ query: { ownerId: params.user.id } })
  }
}

/** Data as clients should not send it: bare, under other names, twice, and of other owners. */
const toSent = (one: string, many: string) => {
  const record = fc.record(
    {
      text: fc.constantFrom<unknown>('b', 5, SECRET),
      ownerId: fc.constantFrom<unknown>(GRACE, 1, null, '2'),
      secret: fc.constant('mine'),
      id: fc.constantFrom(0, 1, 99)
    },
    { requiredKeys: ['text'] }
  )
  const inside = fc.oneof(
    { weight: 4, arbitrary: record },
    fc.array(record, { maxLength: 2 }),
    fc.constantFrom<unknown>(null, 5, '', [], [null])
  )

  return fc.oneof(
    { weight: 4, arbitrary: inside.map((data) => ({ [one]: data })) },
    { weight: 2, arbitrary: inside.map((data) => ({ [many]: data })) },
    record,
    fc.tuple(inside, inside).map(([first, second]) => ({ [one]: first, [many]: second })),
    inside.map((data) => ({ [one]: { [one]: data } }))
  )
}

const calls = fc
  .shuffledSubarray(['note', 'notes', 'text', 'ownerId', 'secret', 'data', 'then'], { minLength: 2 })
  .chain(([one = '', many = '']) =>
    fc.record({
      envelope: fc.constant({ one, many, request: true }),
      unknown: fc.constantFrom('refuse', 'drop'),
      method: fc.constantFrom(
        'find',
        'get',
        'create',
        'update',
        'patch',
        'patchMany',
        'remove',
        'removeMany',
        'mine'
      ),
      id: fc.nat({ max: SEED.length - 1 }),
      data: toSent(one, many),
      isSocket: fc.boolean()
    })
  )

it('random envelopes show no hidden field, and change no record of another', async () => {
  await fc.assert(
    fc.asyncProperty(calls, async ({ envelope, unknown, method, id, data, isSocket }) => {
      const app = createApp()
      const notes = new Notes({ multi: true })

      app.use('notes', notes, {
        methods: ['find', 'get', 'create', 'update', 'patch', 'remove', 'mine'],
        schema: schema(Note, { envelope, unknown, hidden: ['secret'] } as object),
        access: access({
          find: anyone,
          mine: user,
          all: owner('ownerId')
        })
      })
      await app.setup()
      await notes._create(structuredClone(SEED))

      const before = (await notes._find({ paginate: false } as any)) as any[]
      const call = { method: method.replace('Many', ''), id: method.endsWith('Many') ? null : id, data }
      const { status, text } = await (isSocket ? ask(app, call) : send(app, call))
      const after = (await notes._find({ paginate: false } as any)) as any[]

      expect(status, text).toBeLessThan(500)
      if (status < 400 && text !== '')
        expect([envelope.one, envelope.many]).toContain(Object.keys(JSON.parse(text))[0])
      // What the client has sent itself may be in a message.
      if (!JSON.stringify(data).includes(SECRET)) expect(text).not.toContain(SECRET)
      expect(text).not.toMatch(/"secret":"(mine|sentinel)/)
      for (const record of before.filter(({ ownerId }: any) => ownerId !== GRACE))
        expect(after).toContainEqual(record)
      for (const record of after) {
        if (!before.some(({ id }: any) => id === record.id)) expect(record.ownerId).toBe(GRACE)
      }
      await app.teardown()
    }),
    { numRuns: scaled(10_000) }
  )
})

interface Call {
  readonly method: string
  readonly id: number | null
  readonly data: unknown
}

const VERBS: { readonly [method: string]: string } = {
  find: 'GET',
  get: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  remove: 'DELETE',
  mine: 'POST'
}

async function send(app: any, { method, id, data }: Call) {
  const { fetch } = await loginAs(app, USERS[GRACE] as object)
  const path =
    ['find', 'create'].includes(method) || id === null
      ? '/notes'
      : `/notes/${method === 'mine' ? method : id}`
  const verb = VERBS[method] as string
  const hasBody = ['POST', 'PUT', 'PATCH'].includes(verb)
  const response = await fetch(path, {
    method: verb,
    ...(hasBody && { body: JSON.stringify(data), headers: { 'Content-Type': 'application/json' } })
  })

  return { status: response.status, text: await response.text() }
}

async function ask(app: any, { method, id, data }: Call) {
  const { params } = await loginAs(app, USERS[GRACE] as object)
  const values: { [method: string]: unknown[] } = {
    find: [{}],
    get: [id, {}],
    create: [data, {}],
    update: [id, data, {}],
    patch: [id, data, {}],
    remove: [id, {}],
    mine: [data, {}]
  }
  const [error, result]: any = await handleSocket(
    app,
    {
      method,
      path: 'notes',
      args: values[method] as unknown[],
      connection: { provider: 'socketio', headers: {}, authentication: params.authentication } as object
    },
    () => undefined
  )

  return { status: error?.code ?? 200, text: JSON.stringify(error ?? result ?? null) }
}

it('is told of to no one who may not call', async () => {
  const app = createApp()

  app.use('notes', new Notes({}), {
    schema: schema(Note, { envelope: { one: 'note', request: true } }),
    access: access({ all: user })
  })
  await app.setup()

  const response = await createTestClient(app).fetch('/notes', { json: { text: 'bare' } })

  expect([response.status, await response.text()]).toEqual([401, expect.not.stringContaining('note')])
})

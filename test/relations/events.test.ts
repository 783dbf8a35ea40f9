// Related records that not all callers may find are for the caller, and not for events.
import { expect, it } from 'vitest'
import { access, anyone } from '../../src/access.ts'
import { AuthenticationService, authenticate, JWTStrategy } from '../../src/authentication.ts'
import { callService, getResponse } from '../../src/core/call.ts'
import { createContext } from '../../src/core/hooks.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { many, one, schema } from '../../src/schema.ts'
import { Comment, Note, Person } from './support/relations.ts'

it('a relation to a service with a rule is for the caller, and not for events', async () => {
  const app: any = alula()
  const notes = { author: one('people', { from: 'owner' }), log: many('log', { to: 'note' }) }
  const open = { by: one('people', { from: 'author_id' }), on: one('notes', { from: 'note' }) }

  app.use('people', memory({ multi: true }), {
    schema: schema(Person, { hidden: ['secret'] }),
    access: access({ find: ({ params }) => Boolean(params.admin) })
  })
  app.use('notes', memory({ multi: true }), {
    schema: schema(Note, { relations: notes }),
    access: access({ all: anyone })
  })
  app.use('log', memory({ multi: true }), { schema: schema(Comment, { relations: open }) })
  await app.service('people').create({ name: 'Ada', boss_id: null, secret: 's' })
  await app.service('log').create({ note: 0, author_id: 0, text: 'a' })

  const create = (names: string[]) =>
    callService(app.service('notes'), {
      method: 'create',
      data: { text: 'a', owner: 0 },
      params: { provider: 'rest', admin: true, query: { $include: names } }
    } as any)
  const first = await create(['author', 'log.on'])
  const second = await create(['log.by'])

  expect(getResponse(first)).toMatchObject({
    author: { name: 'Ada' },
    log: [{ text: 'a', on: { text: 'a' } }]
  })
  expect(first.dispatch).toEqual({ id: 0, text: 'a', owner: 0, log: (getResponse(first) as any).log })
  expect(getResponse(second)).toEqual({ id: 1, text: 'a', owner: 0, log: [] })
  expect(second.dispatch).toEqual({ id: 1, text: 'a', owner: 0, log: [] })
})

it('a relation to a service whose hook asks for a login is for the caller, and not for events', async () => {
  const app: any = alula()
  const author = one('people', { from: 'owner' })

  app.use('people', memory(), { schema: schema(Person) })
  app.set('authentication', { secret: 's'.repeat(32), entity: null, authStrategies: ['jwt'] })
  const authentication = new AuthenticationService(app)

  authentication.register('jwt', new JWTStrategy())
  app.use('authentication', authentication)
  app.service('people').hooks({ before: { find: [authenticate('jwt')] } })
  app.use('notes', memory(), { schema: schema(Note, { relations: { author } }) })

  await app.service('people').create({ name: 'Ada', boss_id: null, secret: 's' })

  const context = createContext(app.service('notes'), 'create')

  await app.service('notes').create({ text: 'a', owner: 0 }, { query: { $include: 'author' } }, context)
  expect(context.result).toMatchObject({ author: { name: 'Ada' } })
  expect(context.dispatch).toEqual({ id: 0, text: 'a', owner: 0 })
})

it.each([(record: object) => record, Object.freeze])(
  'a relation is not for events where a hook has put its record elsewhere, %#',
  async (prepare) => {
    const app: any = alula()

    app.use('people', memory({ multi: true }), {
      schema: schema(Person),
      access: access({ find: ({ params }) => Boolean(params.admin) })
    })
    app.use('notes', memory(), {
      schema: schema(Note, { extra: 'keep', relations: { author: one('people', { from: 'owner' }) } }),
      access: access({ all: anyone })
    })
    app.hooks({
      after: {
        create: [(context: any) => void Object.assign(context, { dispatch: { a: prepare(context.result) } })]
      }
    })
    const author = await app.service('people').create({ name: 'Ada', boss_id: null, secret: 's' })
    const context = await callService(app.service('notes'), {
      method: 'create',
      data: { text: 'a', owner: 0 },
      params: { provider: 'rest', admin: true, query: { $include: 'author' } }
    } as any)

    expect(getResponse(context)).toEqual({ a: { id: 0, text: 'a', owner: 0, author } })
    expect(context.dispatch).toEqual({ a: { id: 0, text: 'a', owner: 0 } })
  }
)

it('a relation is not for events either where a hook or a method has loaded it', async () => {
  const app: any = alula()
  const load = ({ id }: any, params: any) =>
    app.service('notes').get(id, { ...params, query: { $include: ['author', 'log.by'] } })
  const relations = { author: one('people', { from: 'owner' }), log: many('log', { to: 'note' }) }

  app.use('people', memory({ multi: true }), {
    schema: schema(Person, { hidden: ['secret'] }),
    access: access({ find: ({ params }) => Boolean(params.admin) })
  })
  app.use('notes', Object.assign(memory(), { announce: load }), {
    methods: ['get', 'create', 'patch', 'announce'],
    schema: schema(Note, { relations }),
    access: access({ all: anyone })
  })
  app.use('log', memory(), {
    schema: schema(Comment, { relations: { by: one('people', { from: 'author_id' }) } })
  })
  app.service('notes').hooks({
    after: {
      patch: [
        async (context: any) => {
          context.result = await load(context, context.params)
        }
      ],
      announce: [
        async (context: any) => {
          context.event = 'patched'
        }
      ]
    }
  })
  await app.service('people').create({ name: 'Ada', boss_id: null, secret: 's' })
  await app.service('log').create({ note: 0, author_id: 0, text: 'a' })
  await app.service('notes').create({ text: 'a', owner: 0 })

  const entry = { id: 0, note: 0, author_id: 0, text: 'a' }
  const author = { id: 0, name: 'Ada', boss_id: null }

  for (const call of [
    { method: 'patch', id: 0, data: {} },
    { method: 'announce', data: { id: 0 } }
  ]) {
    const context = await callService(app.service('notes'), {
      ...call,
      params: { provider: 'rest', admin: true, query: {} }
    } as any)

    expect(getResponse(context)).toEqual({
      ...{ id: 0, text: 'a', owner: 0, author },
      log: [{ ...entry, by: author }]
    })
    expect(context.dispatch).toEqual({ id: 0, text: 'a', owner: 0, log: [entry] })
  }
})

it.each([
  ['a singleton', 'user', { singleton: ({ person }: any) => person }],
  ['a nested service', 'rooms/:room/people', { parent: { boss_id: 'rooms' } }]
])('a relation to %s is for the caller, and not for events', async (_, path, scope) => {
  const app: any = alula()
  const rules = { access: access({ all: anyone }) }

  app.use('rooms', memory(), { access: access({ get: ({ params }) => Boolean(params.person) }) })
  app.use(path, memory({ multi: true }), {
    schema: schema(Person, { hidden: ['secret'] }),
    ...rules,
    ...scope
  })
  app.use('rooms/:room/notes', memory(), {
    schema: schema(Note, { relations: { author: one(path, { from: 'owner' }) } }),
    ...rules
  })
  await app.service('rooms').create({})
  await app.service(path)._create([
    { id: 7, name: 'Ada', boss_id: 0, secret: 's' },
    { id: 8, name: 'Bob', boss_id: 1, secret: 's' }
  ])

  const context = await callService(app.service('rooms/:room/notes'), {
    method: 'create',
    data: { text: 'a', owner: 7 },
    params: { provider: 'rest', person: 7, route: { room: '0' }, query: { $include: 'author' } }
  } as any)

  expect(getResponse(context)).toMatchObject({ author: { id: 7, name: 'Ada' } })
  expect(context.dispatch).toEqual({ id: 0, text: 'a', owner: 7 })
})

import { expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone } from '../../src/access.ts'
import { protect } from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { MemoryService, memory } from '../../src/memory.ts'
import { count, exists, many, one, schema } from '../../src/schema.ts'
import { describeApp, Note, toNames } from './support/describe.ts'

it('has relations whose services clients may ask', async () => {
  const app = alula()
  const related = schema(z.object({ id: z.int32(), name: z.string(), noteId: z.int32() }))

  app.use('open', memory(), { schema: related, access: access({ find: anyone }) })
  app.use('sealed', memory(), {
    schema: schema(Note, { view: ({ dispatch }) => ({ note: dispatch }) }),
    access: access({ find: anyone })
  })
  app.use('shut', memory(), { schema: related, access: access({ get: anyone }) })
  app.use('notes', memory(), {
    schema: schema(Note, {
      relations: {
        first: one('open', { from: 'id', filter: ['name'] }),
        all: many('open', { to: 'noteId' }),
        number: count('open', { to: 'noteId' }),
        secret: many('shut', { to: 'noteId', filter: ['name'] }),
        any: exists('open', { to: 'noteId' }),
        sealed: one('sealed', { from: 'id' })
      }
    })
  })

  const { paths, components } = await describeApp(app)
  const names = toNames(paths['/notes'].get)
  const { properties } = components.schemas.Note

  expect(names).toContain('first.name')
  expect(names).not.toContain('secret.name')
  expect(paths['/notes'].get.parameters.at(-1).schema.items.enum).toEqual([
    ...['first', 'all', 'number', 'any', 'sealed']
  ])
  expect(properties.first).toEqual({ anyOf: [{ $ref: '#/components/schemas/Open' }, { type: 'null' }] })
  expect(properties.all).toEqual({ type: 'array', items: { $ref: '#/components/schemas/Open' } })
  expect(properties.number).toEqual({ type: 'integer', minimum: 0 })
  expect(properties.any).toEqual({ type: 'boolean' })
  // What its service makes of responses is not made of an included record.
  expect(properties.sealed).toEqual({ anyOf: [{ $ref: '#/components/schemas/Sealed' }, { type: 'null' }] })
  expect(JSON.stringify([paths['/notes'], components])).not.toContain('secret')
})

it('has relations that are included by default, also to services whose methods are closed', async () => {
  const app = alula()
  const related = z.object({ id: z.int32(), noteId: z.int32(), token: z.string() })

  app.use('closed', memory(), {
    methods: [],
    schema: schema(related, {
      hidden: ['id', 'token'],
      relations: { next: many('further', { to: 'noteId' }) }
    }),
    access: access({ find: anyone })
  })
  app.use('further', memory(), { methods: [], schema: schema(related), access: access({ find: anyone }) })
  app.use('shut', memory(), { methods: [], schema: schema(related) })
  app.use('notes', memory({ multi: true }), {
    schema: schema(Note, {
      relations: {
        all: many('closed', { to: 'noteId', limit: 20 }),
        none: many('shut', { to: 'noteId' })
      },
      include: ['all.next', 'none']
    })
  })

  const { paths, components } = await describeApp(app)
  const toInclude = ({ parameters }: any) => parameters.find(({ name }: any) => name === '$include[]').schema
  const { get, delete: remove, patch } = paths['/notes/{id}']

  expect(Object.keys(paths)).toEqual(['/notes', '/notes/{id}'])
  expect(components.schemas.Note.properties.all).toEqual({
    ...{ type: 'array', items: { $ref: '#/components/schemas/Closed' }, maxItems: 20 }
  })
  expect(Object.keys(components.schemas.Closed.properties)).toEqual(['noteId', 'next'])
  expect(Object.keys(components.schemas).filter((name) => /^(Closed|Further|Shut)/.test(name))).toEqual([
    ...['Closed', 'Further']
  ])
  for (const operation of [paths['/notes'].get, paths['/notes'].post, get, patch, paths['/notes'].patch]) {
    expect(toInclude(operation).default).toEqual(['all.next'])
  }
  for (const operation of [remove, paths['/notes'].delete]) {
    expect(toInclude(operation)).toMatchObject({ items: { enum: ['all', 'all.next'] } })
    expect(toInclude(operation)).not.toHaveProperty('default')
  }
})

it.each([
  ['no method', []],
  ['a custom method alone', ['ping']]
])('has no field that protect() takes out of related records, of a service with %s', async (_, methods) => {
  class Users extends MemoryService {
    async ping() {}
  }
  const app = alula()

  app.use('users', new Users(), {
    methods,
    schema: schema(z.object({ id: z.int32(), name: z.string(), pin: z.string() })),
    access: access({ find: anyone, ...(methods.length > 0 && { ping: anyone }) })
  })
  app.service('users').hooks({ after: { all: [protect('pin')] } })
  app.use('notes', memory(), {
    schema: schema(z.object({ id: z.int32(), ownerId: z.int32() }), {
      relations: { owner: one('users', { from: 'ownerId', filter: ['name', 'pin'] }) }
    })
  })

  const { paths, components } = await describeApp(app)
  const names = toNames(paths['/notes'].get)

  expect(Object.keys(components.schemas.User.properties)).toEqual(['id', 'name'])
  expect(components.schemas.User.required).toEqual(['id', 'name'])
  expect(names).toContain('owner.name')
  expect(names).not.toContain('owner.pin')
})

it('a field that protect() takes out of related records alone is not always there', async () => {
  const app = alula()

  app.use('users', memory(), {
    methods: ['get'],
    schema: schema(z.object({ id: z.int32(), name: z.string(), pin: z.string() })),
    access: access({ find: anyone, get: anyone })
  })
  app.service('users').hooks({ after: { find: [protect('pin')] } })

  const { components } = await describeApp(app)

  expect(Object.keys(components.schemas.User.properties)).toEqual(['id', 'name', 'pin'])
  expect(components.schemas.User.required).toEqual(['id', 'name'])
})

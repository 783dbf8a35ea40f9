import { expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone } from '../../src/access.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
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

// What a document says of `upsert`: it takes what `create` takes, and has a status for each of what may happen.
import { expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone, user } from '../../src/access.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { addAuthentication } from '../support/login.ts'
import { describeApp, describeService, Note, toBody, toResult } from './support/describe.ts'

const upsert = { by: ['text'] }
const record = { $ref: '#/components/schemas/Note' }

it('its data is that of create, its result the record, its status 201 or 200', async () => {
  for (const methods of [['create', 'patch', 'upsert'], ['upsert']]) {
    const document = await describeService(memory({ upsert }), { schema: schema(Note), methods })
    const { post } = document.paths['/notes/upsert']
    const { $ref } = toBody(post)

    expect($ref).toBe(`#/components/schemas/${methods.length > 1 ? 'NoteCreate' : 'NoteUpsert'}`)
    expect(document.components.schemas[$ref.split('/').at(-1)].required).toEqual(['text'])
    expect([toResult(post, '200'), toResult(post, '201')]).toEqual([record, record])
    expect(Object.keys(post.responses)).toEqual(
      expect.arrayContaining(['200', '201', '400', '401', '403', '409'])
    )
    expect(post.operationId).toBe('upsertNotes')
  }
})

it('a status that the schema names is the only one', async () => {
  const document = await describeService(memory({ upsert }), {
    schema: schema(Note, { status: { upsert: 202 } }),
    methods: ['upsert']
  })

  expect(Object.keys(document.paths['/notes/upsert'].post.responses)).not.toEqual(
    expect.arrayContaining(['200'])
  )
  expect(document.paths['/notes/upsert'].post.responses).not.toHaveProperty('201')
})

it('without a schema its data is a record too', async () => {
  const document = await describeService(memory({ upsert }), { methods: ['upsert'] })

  const { post } = document.paths['/notes/upsert']

  expect(toBody(post)).toEqual({ type: 'object' })
  expect(toResult(post, '201')).toEqual(toResult(post, '200'))
  expect(post.responses).not.toHaveProperty('204')
})

it('what the schema says of a method of this name counts, and one of another service is as any', async () => {
  const own = { data: z.object({ text: z.string(), more: z.string() }), result: z.object({ count: z.int() }) }
  const document = await describeService(memory({ upsert }), {
    schema: schema(Note, { methods: { upsert: own } }),
    methods: ['upsert']
  })
  const other = await describeService(
    { upsert: async () => ({}) },
    { schema: schema(Note), methods: ['upsert'] }
  )

  expect(toBody(document.paths['/notes/upsert'].post)).toEqual({ $ref: '#/components/schemas/NoteUpsert' })
  expect(document.components.schemas.NoteUpsert.required).toEqual(['text', 'more'])
  expect(other.paths['/notes/upsert'].post.responses).not.toHaveProperty('201')
})

it('who may call it is said by its rule, which clients of other services do not share', async () => {
  const app = alula<any>()

  addAuthentication(app)
  app.use('users', memory(), { methods: [] })
  app.use('notes', memory({ upsert }), {
    schema: schema(Note),
    methods: ['create', 'upsert'],
    access: access({ create: user, upsert: anyone })
  })

  const { paths } = await describeApp(app)

  expect(paths['/notes/upsert'].post.summary).toBe('Upsert: for anyone')
  expect(paths['/notes/upsert'].post.responses).toHaveProperty('401')
})

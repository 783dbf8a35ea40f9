// Responses that are more than records: envelopes, views, and the statuses of errors.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone, user } from '../../src/access.ts'
import { protect } from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { MemoryService, memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { addAuthentication } from '../support/login.ts'
import { describeApp, describeService, INTEGER, Note, toBody, toResult } from './support/describe.ts'

const ENVELOPE = { one: 'note', many: 'notes', total: 'count', request: true } as const

const toRef = (name: string) => ({ $ref: `#/components/schemas/${name}` })

const inField = (name: string, value: object, more: object = {}) => ({
  type: 'object',
  required: [name],
  properties: { [name]: value },
  ...more
})

const CLOSED = { additionalProperties: false }
const ONE = inField('note', toRef('Note'))
const LIST = { type: 'array', items: toRef('Note') }
const MANY = inField('notes', LIST)

class Notes extends MemoryService<any> {
  async share() {
    return {}
  }

  async titles() {
    return []
  }

  async feed() {
    return {}
  }

  async anything() {
    return {}
  }

  async maybe() {
    return null
  }
}

const CUSTOM = ['share', 'titles', 'feed', 'anything', 'maybe']

function describeNotes(envelope: object = ENVELOPE, settings: object = {}, options: object = {}) {
  return describeService(new Notes({ paginate: { default: 5 }, ...options }), {
    methods: ['find', 'get', 'create', 'update', 'patch', 'remove', ...CUSTOM],
    schema: schema(Note, {
      envelope,
      methods: {
        share: { data: z.object({ with: z.string() }), result: Note },
        titles: { data: z.array(z.string()), result: z.array(z.string()) },
        feed: { result: z.object({ total: z.int(), limit: z.int(), skip: z.int(), data: z.array(Note) }) },
        maybe: { result: Note.nullable() }
      },
      ...settings
    } as object)
  })
}

describe('an envelope', () => {
  it('is around the results of standard methods', async () => {
    const { paths, components } = await describeNotes()
    const { get, patch, put } = paths['/notes/{id}']

    expect([toResult(get), toResult(patch), toResult(put), toResult(paths['/notes/{id}'].delete)]).toEqual([
      ...[ONE, ONE, ONE, ONE]
    ])
    expect(toResult(paths['/notes'].get)).toEqual(toRef('NotePage'))
    expect(components.schemas.NotePage).toEqual({
      type: 'object',
      required: ['count', 'notes'],
      properties: { count: INTEGER, notes: LIST }
    })
    expect(Object.keys(components.schemas.Note.properties)).toEqual(['id', 'text', 'done'])
  })

  it('is around the data of standard methods', async () => {
    const { paths } = await describeNotes()

    expect(toBody(paths['/notes'].post)).toEqual(inField('note', toRef('NoteCreate'), CLOSED))
    expect(toBody(paths['/notes/{id}'].put)).toEqual(inField('note', toRef('NoteCreate'), CLOSED))
    expect(toBody(paths['/notes/{id}'].patch)).toEqual(inField('note', toRef('NotePatch'), CLOSED))
  })

  it('has several records in the other field', async () => {
    const { paths } = await describeNotes(ENVELOPE, {}, { multi: true })

    expect(toBody(paths['/notes'].post)).toEqual({
      oneOf: [
        inField('note', toRef('NoteCreate'), CLOSED),
        inField('notes', { type: 'array', items: toRef('NoteCreate') }, CLOSED)
      ]
    })
    expect(toResult(paths['/notes'].post, '201')).toEqual({ anyOf: [ONE, MANY] })
    expect(toResult(paths['/notes'].patch)).toEqual(MANY)
    expect(toResult(paths['/notes'].delete)).toEqual(MANY)
  })

  it('is around the data and the results of custom methods', async () => {
    const { paths, components } = await describeNotes()
    const toCall = (name: string) => paths[`/notes/${name}`].post

    expect(toBody(toCall('share'))).toEqual(inField('note', toRef('NoteShare'), CLOSED))
    expect(toResult(toCall('share'))).toEqual(inField('note', toRef('Note')))
    expect(toBody(toCall('titles'))).toEqual(inField('notes', toRef('NoteTitles'), CLOSED))
    expect(toResult(toCall('titles'))).toEqual(inField('notes', toRef('NoteTitlesResult')))
    expect(toResult(toCall('feed'))).toEqual(toRef('NoteFeedResult'))
    expect(components.schemas.NoteFeedResult).toMatchObject({ required: ['count', 'notes'] })
    expect(Object.keys(components.schemas.NoteFeedResult.properties)).toEqual(['count', 'notes'])
    expect(toBody(toCall('feed')).oneOf).toEqual([
      { type: 'object', maxProperties: 0 },
      inField('note', { type: 'object' }, CLOSED),
      inField('notes', { type: 'array' }, CLOSED)
    ])
    expect(toCall('feed').requestBody.required).toBe(false)
    expect([toResult(toCall('anything')), Object.keys(toCall('anything').responses)]).toEqual([
      ...[{}, expect.arrayContaining(['200', '204'])]
    ])
    expect(Object.keys(toCall('maybe').responses)).toContain('204')
    expect(Object.keys(toCall('share').responses)).not.toContain('204')
  })

  it('has what it names, and requests as they are without `request`', async () => {
    const { paths, components } = await describeNotes(
      { many: 'notes', limit: 'size', skip: 'from' },
      { unknown: 'drop' }
    )

    expect(components.schemas.NotePage.required).toEqual(['size', 'from', 'notes'])
    expect(toResult(paths['/notes/{id}'].get)).toEqual(toRef('Note'))
    expect(toBody(paths['/notes'].post)).toEqual(toRef('NoteCreate'))
  })

  it('leaves the total out where pages have none, and is around lists', async () => {
    const uncounted = await describeNotes(ENVELOPE, {}, { paginate: { default: 5, total: false } })
    const list = await describeNotes(ENVELOPE, {}, { paginate: false })

    expect(uncounted.components.schemas.NotePage.required).toEqual(['notes'])
    expect(toResult(list.paths['/notes'].get)).toEqual(MANY)
  })

  it('is around the pages of a service that is no adapter, which may be lists', async () => {
    const { components } = await describeService(
      { find: async () => [] },
      { schema: schema(Note, { envelope: ENVELOPE }) }
    )

    expect(components.schemas.NotePage).toMatchObject({ required: ['notes'], properties: { count: INTEGER } })
  })

  it('takes other fields where unknown ones are dropped', async () => {
    const { paths } = await describeNotes(ENVELOPE, { unknown: 'drop' })

    expect(toBody(paths['/notes'].post)).toEqual(inField('note', toRef('NoteCreate')))
  })
})

describe('a view', () => {
  it('is described by its schema', async () => {
    const { paths, components } = await describeService(memory(), {
      schema: schema(Note, {
        view: { schema: z.object({ title: z.string() }).nullable(), make: () => ({ title: 'a' }) }
      })
    })

    expect(toResult(paths['/notes'].get)).toEqual(toRef('NoteView'))
    expect(toResult(paths['/notes'].post, '201')).toEqual(toRef('NoteView'))
    expect(components.schemas.NoteView.required).toEqual(['title'])
    expect(Object.keys(paths['/notes'].get.responses)).toContain('204')
  })

  it('has no hidden fields', async () => {
    const { components } = await describeService(memory(), {
      schema: schema(Note, {
        hidden: ['done'],
        view: { schema: z.object({ note: Note }), make: ({ result }) => ({ note: result }) }
      })
    })

    expect(Object.keys(components.schemas.NoteView.properties.note.properties)).toEqual(['id', 'text'])
  })

  it('is not known without one', async () => {
    const { components, paths } = await describeService(memory(), {
      schema: schema(Note, { view: ({ dispatch }) => ({ note: dispatch }) })
    })

    expect(toResult(paths['/notes'].get)).toEqual({
      description: 'Made by the application, which does not describe it'
    })
    expect(Object.keys(paths['/notes'].get.responses)).toContain('204')
    // Events have it.
    expect(components.schemas.Note.required).toEqual(['id', 'text', 'done'])
  })
})

it('has the statuses of errorStatus, and what they stand for', async () => {
  const app = alula()

  app.set('errorStatus', { BadRequest: 422, Conflict: 422, NotFound: 410 })
  addAuthentication(app)
  app.use('users', memory())
  app.use('notes', memory(), {
    schema: schema(Note),
    access: access({ find: anyone, all: user })
  })

  const { paths } = await describeApp(app)
  const { responses } = paths['/notes/{id}'].patch

  expect(Object.keys(responses)).toEqual(['200', '401', '410', '422', 'default'])
  expect(responses['422']).toEqual({
    description:
      'The data or the query is not valid, or: A unique value is taken, or other records refer to the record',
    content: { 'application/json': { schema: toRef('Error') } }
  })
  expect(paths['/notes'].get.responses['422']).toEqual({ $ref: '#/components/responses/BadRequest' })
})

it.each(['z.object', 'a reference'])(
  'a field of an object that only some methods show is not required, in %s',
  async (kind) => {
    const Address = z.object({ city: z.string(), zip: z.string() })
    const inner = kind === 'z.object' ? Address : Address.meta({ id: 'Address' })
    const app = alula()

    app.use('notes', memory(), {
      methods: ['find', 'get'],
      schema: schema(z.object({ id: z.int32(), address: inner, other: inner }))
    })
    app.service('notes').hooks({ around: { find: [protect('address.zip')] } })

    const { components } = await describeApp(app)
    const { address, other } = components.schemas.Note.properties
    const resolve = ({ $ref, ...own }: any) => ($ref ? components.schemas[$ref.split('/').at(-1)] : own)

    expect(Object.keys(resolve(address).properties)).toEqual(['city', 'zip'])
    expect([address, other].map((one) => resolve(one).required)).toEqual([['city'], ['city', 'zip']])
  }
)

it('describes JSON, and any value that holds itself, with a field that only some methods show', async () => {
  interface Tree {
    secret: string
    children: (Tree | Tree[])[]
  }

  const Tree: z.ZodType<Tree> = z.lazy(() =>
    z.object({ secret: z.string(), children: z.array(z.union([Tree, z.array(Tree)])) })
  )
  const app = alula()

  app.use('notes', memory(), {
    methods: ['find', 'get'],
    schema: schema(z.object({ id: z.int32(), meta: z.json(), tree: Tree, other: Tree }))
  })
  app.service('notes').hooks({ around: { find: [protect('meta.secret', 'tree.secret')] } })

  const { components } = await describeApp(app)
  const { meta, tree, other } = components.schemas.Note.properties
  const { $ref } = other
  const { required } = components.schemas[$ref.split('/').at(-1)]

  expect(JSON.stringify(meta)).toContain('"type":"boolean"')
  expect(tree.required).toEqual(['children'])
  expect(required).toEqual(['secret', 'children'])
})

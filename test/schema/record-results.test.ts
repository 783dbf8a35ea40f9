import { expect, it } from 'vitest'
import { z } from 'zod'
import { alula, asCaller } from '../../src/index.ts'
import { MemoryService, memory } from '../../src/memory.ts'
import { many, one, schema } from '../../src/schema.ts'
import { describeApp } from '../openapi/support/describe.ts'
import { describeRemoteTransports } from '../support/transports.ts'

const Person = z.object({ id: z.int32(), name: z.string() })
const Tag = z.object({ id: z.int32(), name: z.string(), noteId: z.int32() })
const Note = z.object({ id: z.int32(), text: z.string(), ownerId: z.int32(), secret: z.string() })

class Notes extends MemoryService<any> {
  async finish({ id }: { id: number }, params: any) {
    return await this.get(id, asCaller(params))
  }

  async copy({ id }: { id: number }) {
    return await this.get(id)
  }
}

const notes = schema(Note, {
  hidden: ['secret', 'tags'],
  envelope: { one: 'note', many: 'notes' },
  relations: { author: one('people', { from: 'ownerId' }), tags: many('tags', { to: 'noteId' }) },
  include: ['author', 'tags'],
  computed: {
    words: { from: ['id'], many: (all) => all.map(({ tags }) => tags?.map(({ name }: any) => name)) }
  },
  methods: { finish: { result: Note }, copy: { result: z.object({ text: z.string() }) } }
})

function declare(app: any): any {
  app.use('people', memory(), { schema: schema(Person) })
  app.use('tags', memory(), { schema: schema(Tag) })
  app.use('notes', new Notes({ multi: true }), {
    schema: notes,
    methods: ['find', 'get', 'create', 'finish', 'copy']
  })

  return app
}

describeRemoteTransports('a custom method whose result is the record', (open) => {
  it('returns it as `get` does: with relations and computed fields, and without what is hidden', async () => {
    let app: any
    const { call } = await open((opened: any) => {
      app = declare(opened)

      return app
    })

    await app.service('people').create({ name: 'Ada' })
    await app.service('notes').create({ text: 'a', ownerId: 0, secret: 'sentinel' })
    await app.service('tags').create({ name: 'sentinel', noteId: 0 })
    await app.service('tags').create({ name: 'steam', noteId: 0 })

    const note = {
      id: 0,
      text: 'a',
      ownerId: 0,
      author: { id: 0, name: 'Ada' },
      words: ['sentinel', 'steam']
    }

    expect(await call('get', 'notes', { id: 0 })).toEqual({ note })
    expect(await call('finish', 'notes', { data: { id: 0 } })).toEqual({ note })
    expect(await call('copy', 'notes', { data: { id: 0 } })).toEqual({ note: { text: 'a' } })
  })
})

it('is described as the record, which has no hidden relations', async () => {
  const { paths, components } = await describeApp(declare(alula()))
  const toSchema = (path: string, verb: string) =>
    paths[path][verb].responses[verb === 'post' ? 200 : '200'].content['application/json'].schema

  expect(toSchema('/notes/finish', 'post')).toEqual(toSchema('/notes/{id}', 'get'))
  expect(Object.keys(components.schemas.Note.properties)).toEqual([
    'id',
    'text',
    'ownerId',
    'words',
    'author'
  ])
  expect(JSON.stringify(paths['/notes'].get.parameters)).toContain('"enum":["author"]')
})

it('code has hidden relations, and events do not', async () => {
  const app = declare(alula())
  const events: unknown[] = []

  await app.setup()
  app.service('notes').on('created', (_record: unknown, { dispatch }: any) => events.push(dispatch))

  const query = { $include: ['tags'] }
  const note = await app.service('notes').create({ text: 'a', ownerId: 0, secret: 's' }, { query })

  expect(note.tags).toEqual([])
  expect(events).toEqual([{ id: 0, text: 'a', ownerId: 0, words: [] }])
})

it('a hidden name that is neither a field nor a relation refuses the start', () => {
  const relations = { tags: many('tags', { to: 'noteId' }) }

  expect(() => schema(Note, { relations, hidden: ['tag'] as string[] })).toThrow(
    "has no field 'tag', which 'hidden' names"
  )
  expect(() => schema(Note, { relations, hidden: ['tags.name'] as string[] })).toThrow(
    "has no field 'tags', which 'hidden'"
  )
})

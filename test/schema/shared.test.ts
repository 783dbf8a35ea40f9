// One declaration for several services: each has its own methods, id, operators and hooks.
import { expect, it } from 'vitest'
import { z } from 'zod'
import { alula } from '../../src/index.ts'
import { MemoryService, memory } from '../../src/memory.ts'
import { many, schema } from '../../src/schema.ts'

const WEB = { provider: 'rest' }
const Note = z.object({ id: z.int(), text: z.string(), ownerId: z.int(), secret: z.string().optional() })

function declare() {
  return schema(Note, { server: { ownerId: () => 1 }, hidden: ['secret'] })
}

async function toStatus(call: Promise<unknown>): Promise<unknown> {
  return await call.then(
    () => 'not refused',
    ({ code }) => code
  )
}

/** Services with one declaration, in the order of their names. */
function open(services: { readonly [path: string]: object }, declared: any = declare()) {
  const app: any = alula()

  for (const [path, service] of Object.entries(services)) app.use(path, service, { schema: declared })

  return app
}

it('checks the data and queries of a service whatever methods another one has', async () => {
  const app = open({
    archive: { find: async () => [], get: async () => ({}) },
    notes: memory({ multi: true })
  })
  const notes = app.service('notes')

  expect(await toStatus(notes.create({ text: 5 }, WEB))).toBe(400)
  expect(await toStatus(notes.create({ text: 'a', ownerId: 9 }, WEB))).toBe(400)
  expect(await toStatus(notes.create({ text: 'a', id: 9 }, WEB))).toBe(400)
  expect(await notes.create({ text: 'a' }, WEB)).toEqual({ id: 0, text: 'a', ownerId: 1 })
  expect(await toStatus(notes.patch(null, { text: 'b' }, { ...WEB, query: { secret: { $gt: 'a' } } }))).toBe(
    400
  )
  expect(await toStatus(app.service('archive').find({ ...WEB, query: { secret: 'a' } }))).toBe(400)
})

it('takes the id, the operators and the filters of each service', async () => {
  const app = open({ plain: memory(), keyed: memory({ id: 'ownerId', filters: { flag: true } }) })
  const [plain, keyed] = [app.service('plain'), app.service('keyed')]

  expect(await toStatus(plain.find({ ...WEB, query: { flag: 1 } }))).toBe(400)
  expect(await keyed.find({ ...WEB, query: { flag: 1 } })).toEqual([])
  expect(await keyed.create({ text: 'a', id: 5 }, WEB)).toEqual({ text: 'a', id: 5, ownerId: 1 })
})

it('keeps the key of upsert for each service', async () => {
  const declared = schema(z.object({ id: z.int(), text: z.string(), slug: z.string() }))
  const app: any = alula()

  for (const [path, by] of Object.entries({ pages: 'slug', lines: 'text' })) {
    app.use(path, memory({ upsert: { by: [by] } } as any), { schema: declared, methods: ['find', 'upsert'] })
  }
  await app.setup()

  const [pages, lines] = [app.service('pages'), app.service('lines')]

  for (const service of [pages, lines]) await service.upsert({ text: 'a', slug: 'x' }, WEB)

  await pages.upsert({ text: 'b', slug: 'x' }, WEB)
  await lines.upsert({ text: 'a', slug: 'y' }, WEB)
  expect(await pages.find(WEB)).toEqual([{ id: 0, text: 'b', slug: 'x' }])
  expect(await lines.find(WEB)).toEqual([{ id: 0, text: 'a', slug: 'y' }])
})

it('checks by the service that is registered in the place of another', async () => {
  const declared = declare()
  const app = open({ notes: { find: async () => [] } }, declared)

  await app.unuse('notes')
  app.use('notes', memory(), { schema: declared })
  expect(await toStatus(app.service('notes').create({ text: 5 }, WEB))).toBe(400)
})

it('tells of fields that do not leave in each application', async () => {
  const declared = declare()
  const messages: string[] = []

  for (const path of ['notes', 'drafts']) {
    const app: any = alula()
    const store = { 1: { id: 1, text: 'a', ownerId: 1, more: 1 } }

    app.on('error', ({ message }: Error) => messages.push(message))
    app.use(path, memory({ store }), { schema: declared })
    await app.service(path).get(1, WEB)
  }

  expect(messages).toEqual([
    expect.stringContaining("The field 'more' of service 'notes' does not leave"),
    expect.stringContaining("The field 'more' of service 'drafts' does not leave")
  ])
})

it('shows the records of one service in the results of another', async () => {
  class Copies extends MemoryService {
    override async find(): Promise<any> {
      return app.service('notes').find()
    }
  }
  const app: any = open({ notes: memory({ store: { 1: { id: 1, text: 'a', ownerId: 1, secret: 's' } } }) })

  app.use('copies', new Copies(), {
    schema: schema(Note, { hidden: ['secret'], relations: { others: many('notes', { to: 'ownerId' }) } })
  })
  expect(await app.service('copies').find({ ...WEB, query: {} })).toEqual([
    expect.objectContaining({ text: 'a' })
  ])
})

it('keeps the definition when a registration fails', () => {
  const declared = schema(Note, { methods: { archive: {} } })
  const app: any = alula()

  app.use('notes', Object.assign(memory(), { archive: async () => ({}) }), {
    schema: declared,
    methods: ['find', 'archive']
  })
  expect(() => app.use('drafts', memory(), { schema: declared })).toThrow('ALULA_UNKNOWN_METHOD')
  expect(Object.keys(declared.definition?.methods ?? {})).toEqual(['archive'])
})

it('has the definition of the service that was registered last', () => {
  const declared = declare()
  const app: any = alula()

  app.use('notes', memory(), { schema: declared })
  expect(Object.keys(declared.definition?.data ?? {})).toEqual(['create', 'update', 'patch'])
  app.use('archive', { find: async () => [] }, { schema: declared })
  expect(Object.keys(declared.definition?.data ?? {})).toEqual([])
})

import { describe, expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { count, many, one, schema } from '../../src/schema.ts'
import { ask, Comment, createInMemory, Note, Person } from './support/relations.ts'

const TOO_LARGE =
  'Invalid query: its relations lead to more than 10000000 characters of records. Ask for a smaller page, or for the related records in pages of their service'

describe('a relation', () => {
  it('has limits on levels, names and records', async () => {
    const { app } = createInMemory()
    const refuse = (names: unknown) => expect(ask(app, 'people', { $include: names })).rejects

    await refuse('boss.boss.boss.boss').toThrow("'$include' expects at most 3 levels")
    await refuse([
      'boss.boss.boss',
      'boss.notes.tags',
      'boss.notes.author',
      'notes.comments.author',
      'team',
      'noteCount'
    ]).toThrow("'$include' expects at most 10 relations")
    await refuse({ boss: 1 }).toThrow("'$include' expects names of relations")
    await refuse('bos').toThrow("'$include' has no relation 'bos'. Did you mean 'boss'?")
    await refuse('boss.nots').toThrow("'$include' has no relation 'boss.nots'. Did you mean 'notes'?")
    await refuse('team.boss').toThrow("'$include' has no relation 'team.boss'")
    await refuse('toString').toThrow("'$include' has no relation 'toString'")

    const [ada] = await app.service('people').create([{ name: 'Ada', boss_id: null, secret: 's' }])

    await app.service('notes').create(Array.from({ length: 10_000 }, () => ({ text: 'a', owner: ada.id })))
    expect((await ask(app, 'people', { $include: 'notes' }))[0].notes).toHaveLength(10_000)
    await app.service('notes').create({ text: 'a', owner: ada.id })
    await refuse('notes').toThrow('Invalid query: its relations lead to more than 10000 records')
    expect(await ask(app, 'people', { $include: 'noteCount' })).toMatchObject([{ noteCount: 10_001 }])
  })

  it('has one limit on records for all filters of a call', async () => {
    const { app } = createInMemory()
    let found = 0

    app.service('people').hooks({
      after: {
        find: [
          ({ result }: any) => {
            found += result.length
          }
        ]
      }
    })
    await app
      .service('people')
      .create(Array.from({ length: 6000 }, () => ({ name: 'Ada', boss_id: null, secret: 's' })))

    const filter = { 'author.name': 'Ada' }

    expect(await ask(app, 'notes', { $or: [filter, { text: 'a' }] })).toEqual([])
    found = 0
    await expect(ask(app, 'notes', { $or: Array.from({ length: 10 }, () => filter) })).rejects.toThrow(
      'Invalid query: its relations lead to more than 10000 records'
    )
    expect(found).toBeLessThanOrEqual(10_001)
    await expect(
      ask(app, 'notes', { $or: Array.from({ length: 11 }, () => ({ 'author.name': 'Eve' })) })
    ).rejects.toThrow('Invalid query: expected at most 10 filters by relations')
  })

  it('counts the records that link among those that it loads', async () => {
    const { app } = createInMemory()

    await app.service('notes').create({ text: 'a', owner: 1 })
    await app.service('tags').create({ name: 'x' })
    await app.service('links').create(Array.from({ length: 10_000 }, () => ({ note: 0, tag: 0 })))

    for (const query of [{ 'tags.name': 'x' }, { $include: 'tags' }]) {
      await expect(ask(app, 'notes', query)).rejects.toThrow(
        'Invalid query: its relations lead to more than 10000 records'
      )
    }
  })

  it('stands in a result as often as its limit allows, however few records are loaded', async () => {
    const { app } = createInMemory()

    await app.service('people').create([{ name: 'Ada', boss_id: null, secret: 's' }])
    await app.service('notes').create(Array.from({ length: 200 }, () => ({ text: 'a', owner: 0 })))

    await expect(ask(app, 'notes', { $include: 'author.notes' })).rejects.toThrow(
      'Invalid query: its relations lead to more than 10000 records'
    )
    expect((await ask(app, 'notes', { $limit: 40, $include: 'author.notes' }))[39].author.notes).toHaveLength(
      200
    )
  })

  it('is refused by the call that exceeds its limit, before the calls around it copy what it returns', async () => {
    const { app } = createInMemory()
    const refused: string[] = []

    await app.service('notes').create({ text: 'a', owner: null })
    await app
      .service('comments')
      .create(Array.from({ length: 101 }, () => ({ note: 0, author_id: 0, text: 'x' })))
    app.hooks({ error: { find: [({ path }: any) => void refused.push(path)] } })

    await expect(ask(app, 'notes', { $include: 'comments.on.comments' })).rejects.toThrow(
      'Invalid query: its relations lead to more than 10000 records'
    )
    expect(refused).toEqual(['comments', 'notes'])
  })

  it('is refused before each record has its list of what all of them share', async () => {
    const app: any = alula()
    let call: any

    app.use('people', memory({ multi: true }), {
      schema: schema(Person, { relations: { peers: many('people', { from: 'boss_id', to: 'boss_id' }) } })
    })
    await app
      .service('people')
      .create(Array.from({ length: 1000 }, () => ({ name: 'Ada', boss_id: 1, secret: 's' })))
    app.service('people').hooks({
      before: {
        find: [
          (context: any) => {
            call ??= context
          }
        ]
      }
    })

    await expect(ask(app, 'people', { $include: 'peers' })).rejects.toThrow(
      'Invalid query: its relations lead to more than 10000 records'
    )
    expect(call.result.filter(({ peers }: any) => peers)).toHaveLength(10)
  })

  it('stands in a result with up to ten million characters, counted each time', async () => {
    const { app } = createInMemory()
    const notes = app.service('notes')
    const include = { query: { $include: 'author' } }
    const toNotes = (length: number) => Array.from({ length }, () => ({ text: 'a', owner: 0 }))

    await app.service('people').create({ name: 'x'.repeat(99_970), boss_id: null, secret: 's' })

    for (const note of await notes.create(toNotes(100), include)) expect(note.author.id).toBe(0)
    // What is written is written, and has no relations then.
    for (const note of await notes.create(toNotes(101), include)) expect(note).not.toHaveProperty('author')
    await expect(ask(app, 'notes', { $include: 'author' })).rejects.toMatchObject({
      code: 400,
      message: TOO_LARGE
    })
    expect(await ask(app, 'notes', { $include: 'author', $limit: 100 })).toHaveLength(100)
  })

  it('gives clients at most as many records of a list as a page of their service has', async () => {
    const app: any = alula()

    app.use('people', memory({ multi: true, paginate: { default: 2, max: 3 } }), { schema: schema(Person) })
    app.use('notes', memory({ multi: true }), {
      schema: schema(Note, {
        relations: {
          team: many('people', { from: 'owner', to: 'boss_id' }),
          size: count('people', { from: 'owner', to: 'boss_id' })
        }
      })
    })
    await app
      .service('people')
      .create(Array.from({ length: 5 }, (_, id) => ({ name: `p${id}`, boss_id: 1, secret: 's' })))
    await app.service('notes').create({ text: 'a', owner: 1 })

    const query = { $include: ['team', 'size'] }
    const [asked] = await ask(app, 'notes', query)

    expect(asked.team.map(({ id }: any) => id)).toEqual([0, 1, 2])
    expect(asked.size).toBe(5)
    expect((await app.service('notes').find({ query }))[0].team).toHaveLength(5)
  })

  it('that is not valid refuses the start', async () => {
    const start = (relations: any) => {
      const app: any = alula()

      app.use('people', memory(), { schema: schema(Person, { hidden: ['secret'] }) })
      app.use('notes', memory(), { schema: schema(Note, { relations }) })

      return app.setup()
    }

    expect(() => start({ text: one('people', { from: 'owner' }) })).toThrow(
      "The relation 'text' of schema() has the name of a field"
    )
    expect(() => start({ author: one('people', { from: 'ownr' }) })).toThrow(
      "The record of schema() has no field 'ownr', which 'relations.author.from' names"
    )
    expect(() => one('people', {} as any)).toThrow(
      "Invalid option 'from' of one(): expected the name of a field"
    )
    expect(() => (one as any)('people')).toThrow("Invalid option 'from' of one()")
    expect(() => many('people', { too: 'x' } as any)).toThrow('of many()')
    expect(() => many('people', { through: { path: 'x' } } as any)).toThrow('of through of many()')
    expect(() => start({ 'a.b': one('people', { from: 'owner' }) })).toThrow(
      "The relation 'a.b' of schema() needs a name without dots"
    )
    expect(() => count('', { to: 'x' })).toThrow('count() expects the path of a service')
    await expect(start({ author: one('peopl', { from: 'owner' }) })).rejects.toThrow(
      "The relation 'author' of service 'notes' needs the service 'peopl', which is not registered. Did you mean 'people'?"
    )
    await expect(
      start({ all: many('people', { through: { path: 'notes', from: 'ownr', to: 'id' } }) })
    ).rejects.toThrow("asks 'notes' for 'ownr', which its schema does not declare")
    await expect(start({ author: one('people', { from: 'owner', filter: ['secret'] }) })).rejects.toThrow(
      "The relation 'author' of service 'notes' asks 'people' for 'secret', which its clients cannot query"
    )
  })

  it('needs a service that finds', async () => {
    const app: any = alula()

    app.use('people', { get: async () => ({}) })
    app.use('notes', memory(), {
      schema: schema(Note, {
        relations: { author: one('people', { from: 'owner' }), number: count('people', { to: 'note' }) }
      })
    })

    await expect(app.setup()).rejects.toThrow(
      "The relation 'author' of service 'notes' needs the method 'find' of 'people'"
    )
  })

  it('that counts asks for a field that its service has', async () => {
    const app: any = alula()

    app.use('comments', memory(), { schema: schema(Comment) })
    app.use('notes', memory(), {
      schema: schema(Note, { relations: { number: count('comments', { to: 'nte' }) } })
    })

    await expect(app.setup()).rejects.toThrow(
      "The relation 'number' of service 'notes' asks 'comments' for 'nte', which its schema does not declare. Did you mean 'note'?"
    )
  })

  it('leaves a write what it is when its records cannot be read', async () => {
    const { app } = createInMemory()
    const errors: unknown[] = []
    const created: unknown[] = []

    app.on('error', ({ message }: Error) => errors.push(message))
    app.service('notes').on('created', (note: unknown) => created.push(note))
    app.service('people').hooks({
      before: {
        find: [
          async () => {
            throw new Error('away')
          }
        ]
      }
    })

    const params = { provider: 'rest', query: { $include: 'author' } }
    const note = await app.service('notes').create({ text: 'a', owner: 1 }, params)

    expect(note).toMatchObject({ text: 'a' })
    expect(note).not.toHaveProperty('author')
    expect(created).toHaveLength(1)
    expect(errors).toEqual(['away'])
    await expect(ask(app, 'notes', { $include: 'author' })).rejects.toThrow('away')
  })
})

import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { alula } from '../../src/index.ts'
import { kysely, table } from '../../src/kysely.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { createTable, describeDatabases } from '../support/sql.ts'
import { until } from '../support/until.ts'

const note = (time: z.ZodType) =>
  z.object({ id: z.int(), text: z.string(), createdAt: time, updatedAt: time })

const toTime = (value: string | number | Date) => new Date(value).getTime()

/** Waits until the clock shows another time. */
const pass = async () => {
  const begin = Date.now()

  await until(() => expect(Date.now()).toBeGreaterThan(begin))
}

/** What holds for times of every kind. */
async function expectTimes(app: any, isKind: (value: any) => boolean): Promise<void> {
  const notes = app.service('notes')
  const client = app.asClient().service('notes')
  const created = await client.create({ text: 'a' })

  expect([created.createdAt, created.updatedAt].every(isKind)).toBe(true)
  expect(created.createdAt).toEqual(created.updatedAt)
  expect(Math.abs(Date.now() - toTime(created.createdAt))).toBeLessThan(60_000)

  for (const write of [
    () => client.patch(created.id, { text: 'b' }),
    () => client.update(created.id, { text: 'c' }),
    () => notes.patch(created.id, { text: 'd' })
  ]) {
    const before = await notes.get(created.id)

    await pass()

    const written = await write()

    expect(written.createdAt).toEqual(created.createdAt)
    expect(isKind(written.updatedAt)).toBe(true)
    expect(toTime(written.updatedAt)).toBeGreaterThan(toTime(before.updatedAt))
  }

  for (const call of [
    () => client.create({ text: 'a', createdAt: created.createdAt }),
    () => client.patch(created.id, { updatedAt: created.updatedAt })
  ]) {
    await expect(call()).rejects.toMatchObject({
      code: 400,
      message: expect.stringContaining('is set by the server')
    })
  }

  const find = (query: object) => client.find({ query })

  expect(await find({ createdAt: created.createdAt })).toHaveLength(1)
  expect(await find({ updatedAt: { $gt: created.updatedAt }, $sort: { createdAt: -1 } })).toHaveLength(1)
  expect(await find({ createdAt: { $gt: created.createdAt } })).toHaveLength(0)
  expect(await notes.create({ text: 'old', createdAt: created.createdAt })).toMatchObject({
    createdAt: created.createdAt
  })
}

const kinds: { readonly [name: string]: [z.ZodType, (value: any) => boolean] } = {
  numbers: [z.int(), Number.isInteger],
  strings: [z.string(), (value) => value === new Date(value).toISOString()],
  'strings of a time': [z.iso.datetime(), (value) => value === new Date(value).toISOString()],
  dates: [z.date(), (value) => value instanceof Date],
  'dates that may be missing': [z.date().nullish(), (value) => value instanceof Date]
}

it.each(Object.entries(kinds))('`timestamps` sets %s', async (_name, [time, isKind]) => {
  const app = alula().use('notes', memory(), { schema: schema(note(time), { timestamps: true }) })

  await expectTimes(app, isKind)
})

describe('`timestamps`', () => {
  it('are there for each of several records, and dropped from data where unknown fields are', async () => {
    const app: any = alula().use('notes', memory({ multi: true }), {
      schema: schema(note(z.int()), { timestamps: true, unknown: 'drop' })
    })
    const client = app.asClient().service('notes')

    expect(await client.create([{ text: 'a' }, { text: 'b', createdAt: 1 }])).toEqual([
      { id: 0, text: 'a', createdAt: expect.any(Number), updatedAt: expect.any(Number) },
      {
        id: 1,
        text: 'b',
        createdAt: expect.not.toSatisfy((value: number) => value === 1),
        updatedAt: expect.any(Number)
      }
    ])
    expect(app.service('notes') && (await client.patch(null, { text: 'c' }))).toHaveLength(2)
  })

  it.each([
    [
      z.object({ id: z.int(), createdAt: z.date() }),
      {},
      "has no field 'updatedAt', which 'timestamps' needs"
    ],
    [note(z.boolean()), {}, "'timestamps' of schema() needs 'createdAt' to be a number, a string or a Date"],
    [note(z.iso.date()), {}, "'timestamps' of schema() needs 'createdAt' to be a number, a string or a Date"],
    [
      note(z.int().max(2 ** 31)),
      {},
      "'timestamps' of schema() needs 'createdAt' to be a number, a string or a Date"
    ],
    [note(z.date()), { server: { createdAt: () => new Date() } }, "'createdAt', which 'timestamps' sets"],
    [note(z.date()), { timestamps: 'yes' }, "Invalid option 'timestamps' of schema()"]
  ])('refuse the start where they cannot be set: %#', (record, settings, message) => {
    expect(() =>
      alula().use('notes', memory(), { schema: schema(record, { timestamps: true, ...settings } as any) })
    ).toThrow(message)
  })
})

describeDatabases('`timestamps` of a table', (database) => {
  const quote = (columns: string) => (database.name === 'MariaDB' ? columns.replaceAll('"', '`') : columns)
  const open = async (type: string, settings: object = {}, names = ['createdAt', 'updatedAt']) => {
    const columns = names.map((name) => `"${name}" ${type} not null`)
    const Model = await createTable(
      database,
      'alula_times',
      quote([`id ${database.countedId}`, `text ${database.text} not null`, ...columns].join(', '))
    )

    return alula().use('notes', kysely({ Model, name: 'alula_times' }), {
      schema: table({ timestamps: true, ...settings })
    })
  }

  it.each([
    ['dates', database.date, (value: unknown) => value instanceof Date],
    ['numbers', 'bigint', Number.isInteger],
    ['strings', 'varchar(30)', (value: any) => value === new Date(value).toISOString()]
  ])('are %s where its columns are', async (_name, type, isKind) => {
    const app = await open(type)

    await app.setup()
    await expectTimes(app, isKind)
  })

  it('need columns', async () => {
    const app = await open(database.date, {}, ['createdAt'])

    await expect(app.setup()).rejects.toThrow("has no field 'updatedAt', which 'timestamps' needs")
  })

  it('need columns for a schema that is written too', async () => {
    const Model = await createTable(
      database,
      'alula_times',
      `id ${database.countedId}, text ${database.text} not null`
    )
    const app = alula().use('notes', kysely({ Model, name: 'alula_times' }), {
      schema: schema(note(z.date()), { timestamps: true })
    })

    await expect(app.setup()).rejects.toThrow("'createdAt' has no column")
  })
})

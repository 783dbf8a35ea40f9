import { Type as OldType } from '@sinclair/typebox'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import Joi from 'joi'
import * as v from 'valibot'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { schema } from '../../src/schema.ts'
import { failing, open } from './support/notes.ts'

it('libraries may take their time', async () => {
  const Note = z.object({ id: z.int(), text: z.string().refine(async (text) => text !== 'taken') })
  const notes = open(
    schema({ record: Note, create: asynchronous(Note.omit({ id: true })) as any, patch: Note.partial() })
  )

  expect(await notes.create({ text: 'a' })).toEqual({ id: 0, text: 'a' })
  expect((await failing(notes.create({ text: 'taken' })))[0]).toBe(400)
  expect((await failing(notes.create([{ text: 'b' }, { text: 'taken' }])))[1]).toHaveProperty(['1.text'])
})

/** Zod checks refinements that take time only when it is told to. */
function asynchronous(of: z.ZodType): unknown {
  const standard = of['~standard']

  return {
    '~standard': { ...standard, vendor: 'zod', validate: async (value: unknown) => standard.validate(value) }
  }
}

it.each<[string, () => any, () => any]>([
  ['zod', () => z.looseObject({ text: z.string() }), () => z.object({ text: z.string() })],
  [
    'valibot',
    () => toStandardJsonSchema(v.looseObject({ text: v.string() })),
    () => toStandardJsonSchema(v.object({ text: v.string() }))
  ],
  ['arktype', () => type({ text: 'string', '[string]': 'unknown' }), () => type({ text: 'string' })],
  ['joi', () => Joi.object({ text: Joi.string() }).unknown(), () => Joi.object({ text: Joi.string() })]
])('an object of %s has other fields where its schema says so', async (_, createLoose, createPlain) => {
  const [loose, plain] = [createLoose(), createPlain()]
  const openWith = (schemaOfAll: any) =>
    open(schema({ record: schemaOfAll, create: schemaOfAll, patch: schemaOfAll, extra: 'keep' }))
  const data = { text: 'a', size: 1 }

  expect(await openWith(loose).create(data, { provider: 'rest' })).toMatchObject(data)
  expect(await failing(openWith(plain).create(data, { provider: 'rest' }))).toEqual([
    400,
    { size: 'is not a known field' }
  ])
})

it('an object of Valibot has other fields at any depth, and through what is made of it', async () => {
  const Inner = v.looseObject({ a: v.number() })
  const Note = toStandardJsonSchema(
    v.object({
      list: v.array(v.union([Inner, v.string()])),
      made: v.partial(Inner),
      piped: v.pipe(
        Inner,
        v.check(({ a }) => a > 0)
      )
    })
  )
  const notes = open(schema({ record: Note, create: Note, patch: Note }))
  const data = { list: [{ a: 1, b: 2 }], made: { b: 2 }, piped: { a: 1, b: 2 } }

  expect(await notes.create(data, { provider: 'rest' })).toEqual({ ...data, id: 0 })
  expect(await failing(notes.create({ ...data, c: 1 }, { provider: 'rest' }))).toEqual([
    400,
    { c: 'is not a known field' }
  ])
})

it('a schema of ArkType keeps what it does to values', async () => {
  const Note = type({ id: 'number.integer', text: 'string.trim' })
  const notes = open(schema({ record: Note, create: Note.omit('id'), patch: Note.omit('id').partial() }))

  expect(await notes.create({ text: ' a ' }, { provider: 'rest' })).toEqual({ id: 0, text: 'a' })
})

it.each<[string, () => any]>([
  ['zod', () => z.object({ id: z.int(), at: z.date() })],
  [
    'valibot',
    () => toStandardJsonSchema(v.object({ id: v.number(), at: v.date(), more: v.optional(v.any()) }))
  ],
  ['arktype', () => type({ id: 'number.integer', at: 'Date', 'more?': type.instanceOf(Map) })],
  ['joi', () => Joi.object({ id: Joi.number().integer(), at: Joi.date().strict() })]
])('dates of %s are compared as dates', async (_, create) => {
  const record = create()
  const notes = open(schema({ record, create: record, patch: record }))

  await notes.create({ id: 1, at: new Date(0) })
  await notes.create({ id: 2, at: '2001-09-09T01:46:40Z' }, { provider: 'rest' })

  expect((await notes.get(2)).at).toEqual(new Date(1e12))

  expect(await notes.find({ provider: 'rest', query: { at: { $lt: '1970-01-02' } } })).toMatchObject([
    { id: 1 }
  ])
  expect(await failing(notes.find({ provider: 'rest', query: { at: 'x' } }))).toEqual([
    400,
    { at: 'expects a date in ISO 8601, got a string' }
  ])
})

it('a message of Valibot that has the value in it is not shown', async () => {
  const record = v.object({ mail: v.pipe(v.string(), v.email()), size: v.pipe(v.string(), v.maxLength(2)) })
  const declared = toStandardJsonSchema(record)
  const people = open(schema({ record: declared, create: declared, patch: declared }))

  expect(await failing(people.create({ mail: 'secret', size: 'long' }))).toEqual([
    400,
    { mail: 'is not valid', size: 'expects <=2' }
  ])
})

it('dates of TypeBox are dates', async () => {
  const Note = OldType.Object({ id: OldType.Integer(), at: OldType.Date() })
  const notes = open(schema(Note))
  const at = new Date(0)

  expect(await notes.create({ at })).toEqual({ id: 0, at })
  expect(await failing(notes.create({ at: at.toISOString() }))).toEqual([400, { at: 'expects a date' }])
  expect(await notes.create({ at: at.toISOString() }, { provider: 'rest' })).toEqual({ id: 1, at })
  expect(await notes.remove(1)).toEqual({ id: 1, at })
  expect(await notes.find({ provider: 'rest', query: { at: { $lt: '1970-01-02' } } })).toHaveLength(1)
})

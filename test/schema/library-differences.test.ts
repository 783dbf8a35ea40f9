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

  await notes.create([
    { id: 1, at: new Date(0) },
    { id: 2, at: new Date(1e12) }
  ])

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
  expect(await notes.find({ provider: 'rest', query: { at: { $lt: '1970-01-02' } } })).toHaveLength(1)
})

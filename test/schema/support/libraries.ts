import { Type as OldType } from '@sinclair/typebox'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import Joi from 'joi'
import { Type } from 'typebox'
import * as v from 'valibot'
import { z } from 'zod'
import { type DeclaredSchema, onWrite, schema } from '../../../src/schema.ts'

const settings = {
  server: { ownerId: () => 'ada', updatedAt: onWrite(() => 'now') }
} as const

const entries = {
  id: v.pipe(v.number(), v.integer()),
  text: v.pipe(v.string(), v.minLength(1)),
  done: v.optional(v.boolean(), false),
  kind: v.optional(v.picklist(['idea', 'task'])),
  rating: v.optional(v.nullable(v.number())),
  address: v.optional(v.object({ city: v.string(), zip: v.optional(v.string()) })),
  tags: v.optional(v.array(v.string())),
  ownerId: v.string(),
  updatedAt: v.string()
}
const { id: _, ownerId: __, updatedAt: ___, ...created } = entries

const joi = {
  id: Joi.number().integer().strict().required(),
  text: Joi.string().min(1).required(),
  done: Joi.boolean().strict().default(false),
  kind: Joi.string().valid('idea', 'task'),
  rating: Joi.number().strict().allow(null),
  address: Joi.object({ city: Joi.string().required(), zip: Joi.string() }),
  tags: Joi.array().items(Joi.string()),
  ownerId: Joi.string().required(),
  updatedAt: Joi.string().required()
}
const { id: _a, ownerId: _b, updatedAt: _c, ...joiCreated } = joi

const jsonSchema = {
  type: 'object',
  required: ['id', 'text', 'ownerId', 'updatedAt'],
  properties: {
    id: { type: 'integer' },
    text: { type: 'string', minLength: 1 },
    done: { type: 'boolean', default: false },
    kind: { enum: ['idea', 'task'] },
    rating: { type: ['number', 'null'] },
    address: {
      type: 'object',
      required: ['city'],
      properties: { city: { type: 'string' }, zip: { type: 'string' } }
    },
    tags: { type: 'array', items: { type: 'string' } },
    ownerId: { type: 'string' },
    updatedAt: { type: 'string' }
  }
}

function typeBox(T: any): any {
  return T.Object({
    id: T.Integer(),
    text: T.String({ minLength: 1 }),
    done: T.Optional(T.Boolean({ default: false })),
    kind: T.Optional(T.Union([T.Literal('idea'), T.Literal('task')])),
    rating: T.Optional(T.Union([T.Number(), T.Null()])),
    address: T.Optional(T.Object({ city: T.String(), zip: T.Optional(T.String()) })),
    tags: T.Optional(T.Array(T.String())),
    ownerId: T.String(),
    updatedAt: T.String()
  })
}

/** The same service, declared by each library. */
export const libraries: { readonly [name: string]: () => DeclaredSchema } = {
  zod: () =>
    schema(
      z.object({
        id: z.int(),
        text: z.string().min(1),
        done: z.boolean().default(false),
        kind: z.enum(['idea', 'task']).optional(),
        rating: z.number().nullish(),
        address: z.object({ city: z.string(), zip: z.string().optional() }).optional(),
        tags: z.array(z.string()).optional(),
        ownerId: z.string(),
        updatedAt: z.string()
      }),
      settings
    ),
  arktype: () =>
    schema(
      type({
        id: 'number.integer',
        text: 'string > 0',
        done: 'boolean = false',
        'kind?': "'idea' | 'task'",
        'rating?': 'number | null',
        'address?': { city: 'string', 'zip?': 'string' },
        'tags?': 'string[]',
        ownerId: 'string',
        updatedAt: 'string'
      }),
      settings
    ),
  valibot: () =>
    schema({
      record: toStandardJsonSchema(v.object(entries)),
      create: toStandardJsonSchema(v.object(created)),
      patch: toStandardJsonSchema(v.partial(v.object(created))),
      ...settings
    }),
  joi: () => {
    // Otherwise it stops at the first fault.
    const all = (fields: Joi.PartialSchemaMap) => Joi.object(fields).prefs({ abortEarly: false })
    const optional = Object.fromEntries(
      Object.entries(joiCreated).map(([name, field]) => [name, field.optional()])
    )

    return schema({
      record: Joi.object(joi),
      create: all(joiCreated),
      patch: all(optional),
      ...settings
    })
  },
  'typebox 1': () => schema(typeBox(Type), settings),
  'typebox 0.34': () => schema(typeBox(OldType), settings),
  'json schema': () => schema(jsonSchema, settings)
}

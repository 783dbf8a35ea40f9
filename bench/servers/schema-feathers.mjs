import express, { errorHandler, json, notFound, rest } from '@feathersjs/express'
import { feathers } from '@feathersjs/feathers'
import { memory } from '@feathersjs/memory'
import schema from '@feathersjs/schema'
import typebox from '@feathersjs/typebox'
import addFormats from 'ajv-formats'
import { toMemoryOptions } from '../messages.mjs'

const { hooks, resolve } = schema
const { Ajv } = schema
const { getValidator, querySyntax, Type } = typebox

const Message = Type.Object(
  {
    id: Type.Integer(),
    room: Type.String({ minLength: 1 }),
    text: Type.String({ minLength: 1, maxLength: 1000 }),
    likes: Type.Integer({ minimum: 0 }),
    createdAt: Type.String({ format: 'date-time' })
  },
  { $id: 'Message', additionalProperties: false }
)
const formats = ['date-time']
const dataValidator = getValidator(
  Type.Omit(Message, ['id'], { $id: 'MessageData' }),
  addFormats.default(new Ajv({}), formats)
)
const queryValidator = getValidator(
  Type.Intersect([querySyntax(Message), Type.Object({}, { additionalProperties: false })], {
    additionalProperties: false
  }),
  addFormats.default(new Ajv({ coerceTypes: true }), formats)
)
const resolver = resolve({})

/** Feathers v5 with TypeBox, as its generator sets a service up. */
export async function createServer({ count }) {
  const app = express(feathers())

  app.use(json())
  app.configure(rest())
  app.use('messages', memory(toMemoryOptions(count)))
  app.service('messages').hooks({
    around: { all: [hooks.resolveExternal(resolver), hooks.resolveResult(resolver)] },
    before: {
      all: [hooks.validateQuery(queryValidator), hooks.resolveQuery(resolver)],
      create: [hooks.validateData(dataValidator), hooks.resolveData(resolver)]
    }
  })
  app.use(notFound())
  app.use(errorHandler())

  return app.listen(0)
}

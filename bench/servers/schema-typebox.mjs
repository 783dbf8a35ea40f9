import typebox from '@feathersjs/typebox'
import { schema } from '../../dist/schema.js'
import { createServer as createPlain } from './schema-none.mjs'

const { Type } = typebox

const Message = Type.Object({
  id: Type.Integer(),
  room: Type.String({ minLength: 1 }),
  text: Type.String({ minLength: 1, maxLength: 1000 }),
  likes: Type.Integer({ minimum: 0 }),
  createdAt: Type.String({ format: 'date-time' })
})

/** alula with a schema of TypeBox, which Ajv checks. */
export function createServer(options) {
  return createPlain(options, schema(Message))
}

import { z } from 'zod'
import { schema } from '../../dist/schema.js'
import { createServer as createPlain } from './schema-none.mjs'

const Message = z.object({
  id: z.int(),
  room: z.string().min(1),
  text: z.string().min(1).max(1000),
  likes: z.int().min(0),
  createdAt: z.iso.datetime()
})

/** alula with a schema of Zod. */
export function createServer(options) {
  return createPlain(options, schema(Message))
}

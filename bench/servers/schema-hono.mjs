import { once } from 'node:events'
import { serve } from '@hono/node-server'
import { zValidator } from '@hono/zod-validator'
import { Hono } from 'hono'
import { z } from 'zod'
import { createMessageMap, findPage } from '../messages.mjs'

const Message = z.strictObject({
  room: z.string().min(1),
  text: z.string().min(1).max(1000),
  likes: z.int().min(0),
  createdAt: z.iso.datetime()
})

const Query = z.strictObject({
  'room[$ne]': z.string().optional(),
  'createdAt[$gt]': z.iso.datetime().optional(),
  '$sort[likes]': z.enum(['1', '-1']).optional(),
  $limit: z.coerce.number().int().min(0)
})

/** Hono on its server for Node, with its validator for Zod. */
export async function createServer({ count }) {
  const app = new Hono()
  const messages = createMessageMap(count)
  let lastId = messages.size

  app.get('/messages', zValidator('query', Query), (context) =>
    context.json(findPage(messages.values(), context.req.valid('query')))
  )

  app.post('/messages', zValidator('json', Message), (context) => {
    const message = { ...context.req.valid('json'), id: ++lastId }

    messages.set(String(message.id), message)

    return context.json(message, 201)
  })

  app.delete('/messages/:id', (context) => {
    const message = messages.get(context.req.param('id'))

    messages.delete(context.req.param('id'))

    return context.json(message)
  })

  const server = serve({ fetch: app.fetch, port: 0 })

  if (!server.listening) await once(server, 'listening')

  return server
}

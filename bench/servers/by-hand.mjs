import express from 'express'
import { createMessageMap, findPage } from '../messages.mjs'

/** Express 5 without a framework on top. */
export async function createServer({ count }) {
  const app = express()
  const messages = createMessageMap(count)
  let lastId = messages.size

  app.use(express.json())

  app.get('/messages', (request, response) => {
    response.json(findPage(messages.values(), request.query))
  })

  app.get('/messages/:id', ({ params }, response) => {
    const message = messages.get(params.id)

    if (message) response.json(message)
    else response.status(404).json({ message: `No message with id '${params.id}'` })
  })

  app.post('/messages', ({ body }, response) => {
    const message = { ...body, id: ++lastId }

    messages.set(String(message.id), message)
    response.status(201).json(message)
  })

  app.patch('/messages/:id', ({ params, body }, response) => {
    const message = messages.get(params.id)

    if (!message) {
      response.status(404).json({ message: `No message with id '${params.id}'` })
      return
    }

    const patched = { ...message, ...body, id: message.id }

    messages.set(params.id, patched)
    response.json(patched)
  })

  return app.listen(0)
}

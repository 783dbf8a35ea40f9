import express from 'express'
import { createMessageMap, findPage } from '../messages.mjs'
import { createVerifier } from '../verify.mjs'

/**
 * Express 5 without a framework on top.
 *
 * @param findUser Returns the user of a request
 */
export async function createServer({ count }, findUser = createVerifier()) {
  const app = express()
  const messages = createMessageMap(count)
  const privateMessages = createMessageMap()
  let lastId = messages.size

  app.use(express.json())

  app.get('/messages', (request, response) => {
    response.json(findPage(messages.values(), request.query))
  })

  app.get('/messages/:id', sendFrom(messages))

  app.post('/messages', ({ body }, response) => {
    const message = { ...body, id: ++lastId }

    messages.set(String(message.id), message)
    response.status(201).json(message)
  })

  app.patch('/messages/:id', ({ params, body }, response) => {
    const message = messages.get(params.id)

    if (!message) {
      sendNotFound(params, response)
      return
    }

    const patched = { ...message, ...body, id: message.id }

    messages.set(params.id, patched)
    response.json(patched)
  })

  app.delete('/messages/:id', ({ params }, response) => {
    const message = messages.get(params.id)

    if (messages.delete(params.id)) response.json(message)
    else sendNotFound(params, response)
  })

  app.get('/private/:id', authenticate, sendFrom(privateMessages))

  return app.listen(0)

  function authenticate(request, response, next) {
    request.user = findUser(request)

    if (request.user) next()
    else response.status(401).json({ message: 'Not authenticated' })
  }
}

function sendFrom(messages) {
  return ({ params }, response) => {
    const message = messages.get(params.id)

    if (message) response.json(message)
    else sendNotFound(params, response)
  }
}

function sendNotFound({ id }, response) {
  response.status(404).json({ message: `No message with id '${id}'` })
}

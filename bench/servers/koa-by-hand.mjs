import Router from '@koa/router'
import Koa from 'koa'
import { koaBody } from 'koa-body'
import { createMessageMap, findPage } from '../messages.mjs'
import { createVerifier } from '../verify.mjs'

/** Koa 3 without a framework on top. */
export async function createServer({ count }) {
  const app = new Koa()
  const router = new Router()
  const findUser = createVerifier()
  const messages = createMessageMap(count)
  const privateMessages = createMessageMap()
  let lastId = messages.size

  router.get('/messages', (context) => {
    context.body = findPage(messages.values(), context.query)
  })

  router.get('/messages/:id', sendFrom(messages))

  router.post('/messages', (context) => {
    const message = { ...context.request.body, id: ++lastId }

    messages.set(String(message.id), message)
    context.status = 201
    context.body = message
  })

  router.patch('/messages/:id', (context) => {
    const { id } = context.params
    const message = messages.get(id)

    if (!message) {
      sendNotFound(context)
      return
    }

    const patched = { ...message, ...context.request.body, id: message.id }

    messages.set(id, patched)
    context.body = patched
  })

  router.delete('/messages/:id', (context) => {
    const { id } = context.params
    const message = messages.get(id)

    if (messages.delete(id)) context.body = message
    else sendNotFound(context)
  })

  router.get('/private/:id', authenticate, sendFrom(privateMessages))

  app.use(koaBody())
  app.use(router.routes())

  return app.listen(0)

  function authenticate(context, next) {
    context.state.user = findUser(context)

    if (context.state.user) return next()

    context.status = 401
    context.body = { message: 'Not authenticated' }
  }
}

function sendFrom(messages) {
  return (context) => {
    const message = messages.get(context.params.id)

    if (message) context.body = message
    else sendNotFound(context)
  }
}

function sendNotFound(context) {
  context.status = 404
  context.body = { message: `No message with id '${context.params.id}'` }
}

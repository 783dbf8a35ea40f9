import { NotFound } from '@feathersjs/errors'
import express, { errorHandler, json, notFound, rest } from '@feathersjs/express'
import { feathers } from '@feathersjs/feathers'
import { MessageService } from '../messages.mjs'

/** Feathers v5, as its generator sets it up, without what an application may leave out. */
export async function createServer() {
  const app = express(feathers())

  app.use(json())
  app.configure(rest())
  app.use('messages', new MessageService(NotFound))
  app.use(notFound())
  app.use(errorHandler())

  return app.listen(0)
}

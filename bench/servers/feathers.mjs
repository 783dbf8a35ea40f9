import express, { errorHandler, json, notFound, rest } from '@feathersjs/express'
import { feathers } from '@feathersjs/feathers'
import { memory } from '@feathersjs/memory'
import { toMemoryOptions } from '../messages.mjs'

/** Feathers v5, as its generator sets it up, without what an application may leave out. */
export async function createServer({ count }) {
  const app = express(feathers())

  app.use(json())
  app.configure(rest())
  app.use('messages', memory(toMemoryOptions(count)))
  app.use(notFound())
  app.use(errorHandler())

  return app.listen(0)
}

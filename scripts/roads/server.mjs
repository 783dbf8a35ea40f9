import { once } from 'node:events'
import express, { errorHandler, json, notFound, rest } from '../../dist/express.js'
import { alula } from '../../dist/index.js'
import { MemoryService } from '../../dist/memory.js'
import { markStore } from './recording.mjs'

/** A store that writes into the recording when its methods begin and return. */
class RecordedStore extends MemoryService {
  async find(params) {
    markStore('find')

    return super.find(params)
  }

  async create(data, params) {
    markStore('create')

    const created = await super.create(data, params)

    markStore('return')

    return created
  }
}

/** A store whose methods can be seen in the recording. */
export function createRecordedStore() {
  return new RecordedStore({ startId: 1, paginate: { default: 10, max: 50 } })
}

/** An application of Express, as the quickstart makes it. */
export function createApp() {
  const app = express(alula())

  app.use(json())
  app.configure(rest())

  return app
}

/** Starts an application on a free port, and returns the port. */
export async function listen(app) {
  app.use(notFound(), errorHandler({ logger: false }))

  const server = await app.listen(0, '127.0.0.1')

  if (!server.listening) await once(server, 'listening')

  return server.address().port
}

/**
 * Sends a request, with a body and a token if they are given.
 *
 * @returns {Promise<unknown>} The parsed body of the response
 * @throws Error when the response is an error
 */
export async function send(port, method, path, { body, token } = {}) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
    body: body && JSON.stringify(body)
  })
  const result = await response.json()

  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(result)}`)

  return result
}

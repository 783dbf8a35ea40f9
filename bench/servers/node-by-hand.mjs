import { createServer as createHttpServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { createMessageMap, findPage } from '../messages.mjs'
import { createVerifier } from '../verify.mjs'

/** The server of Node without a framework: no library on top of it can be faster. */
export async function createServer({ count }) {
  const messages = createMessageMap(count)
  const privateMessages = createMessageMap()
  const findUser = createVerifier()
  let lastId = messages.size

  return createHttpServer(respond).listen(0)

  async function respond(request, response) {
    const { method, url } = request
    const [path, search] = url.split('?')
    const [, collection, id] = path.split('/')

    if (collection === 'private') {
      if (findUser(request)) send(response, 200, privateMessages.get(id))
      else send(response, 401, { message: 'Not authenticated' })

      return
    }
    if (method === 'POST') {
      const message = { ...JSON.parse(await text(request)), id: ++lastId }

      messages.set(String(message.id), message)
      send(response, 201, message)

      return
    }
    if (id === undefined) {
      send(response, 200, findPage(messages.values(), Object.fromEntries(new URLSearchParams(search))))

      return
    }

    const message = messages.get(id)

    if (!message) send(response, 404, { message: `No message with id '${id}'` })
    else if (method === 'PATCH') {
      const patched = { ...message, ...JSON.parse(await text(request)), id: message.id }

      messages.set(id, patched)
      send(response, 200, patched)
    } else {
      if (method === 'DELETE') messages.delete(id)
      send(response, 200, message)
    }
  }
}

function send(response, status, body) {
  const json = JSON.stringify(body)

  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(json)
  })
  response.end(json)
}

// Runs the handler on Node, which has no server for it. In an application for Node, `alula/node` is the shorter way.
import { createServer } from 'node:http'
import { prepareClose } from 'alula/node'
import { handler, teardown } from './handler.js'

const server = createServer(async (request, response) => {
  const result = await answer(request)

  response.statusCode = result.status
  for (const [name, value] of result.headers) response.appendHeader(name, value)
  response.end(Buffer.from(await result.arrayBuffer()))
})

async function answer(request) {
  try {
    return await handler(toRequest(request))
  } catch {
    // Such as a method that `Request` refuses.
    return new Response(null, { status: 400 })
  }
}

function toRequest(request) {
  const { method, url, headersDistinct } = request
  const headers = Object.entries(headersDistinct).flatMap(([name, values]) =>
    values.map((value) => [name, value])
  )
  // A handler that stops reading, because there is too much, still has to be able to answer.
  const body = ['GET', 'HEAD'].includes(method)
    ? undefined
    : ReadableStream.from(request.iterator({ destroyOnReturn: false }))

  return new Request(`http://localhost${url}`, { method, headers, body, duplex: 'half' })
}

const close = prepareClose(server)

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    await close()
    await teardown()
  })
}

server.listen(Number(process.env.PORT ?? 3030), () => {
  console.log(`alula is listening on http://localhost:${server.address().port}`)
})

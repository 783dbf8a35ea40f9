import { alula } from 'alula'
import { BadRequest } from 'alula/errors'
import express, { errorHandler, notFound, rest } from 'alula/express'
import { memory } from 'alula/memory'
import { openapi } from 'alula/openapi'

const app = express(alula())

app.configure(rest())
// A service has the methods find, get, create, update, patch and remove. This one keeps its records in memory.
app.use('notes', memory({ startId: 1, paginate: { default: 10, max: 50 } }))
// A document of the API, and a page to try it.
app.configure(openapi({ info: { title: 'Notes', version: '1.0.0' } }))
app.use(notFound(), errorHandler())

// A hook runs for every call, from clients and from your own code.
const requireText = async ({ data }) => {
  if (typeof data.text !== 'string') throw new BadRequest("A note needs a 'text'")
}

app.service('notes').hooks({ before: { create: [requireText], update: [requireText] } })
app.service('notes').on('created', ({ id }) => console.log(`created note ${id}`))

// Finishes the requests that are in flight before the process ends.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => app.teardown())

const server = await app.listen(process.env.PORT ?? 3030)
const address = `http://localhost:${server.address().port}`
const url = `${address}/notes`

console.log(`Open ${address}/docs in a browser, or try in another terminal:

  curl ${url} -H 'Content-Type: application/json' -d '{"text":"Buy milk"}'
  curl ${url}/1
  curl -X PATCH ${url}/1 -H 'Content-Type: application/json' -d '{"done":true}'
  curl -X PUT ${url}/1 -H 'Content-Type: application/json' -d '{"text":"Buy bread"}'
  curl -g '${url}?text[$gt]=B&$sort[text]=-1&$limit=1'
  curl -X DELETE ${url}/1
`)

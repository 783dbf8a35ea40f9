import { alula } from 'alula'
import { BadRequest } from 'alula/errors'
import express, { errorHandler, notFound, rest } from 'alula/express'
import { memory } from 'alula/memory'
import { openapi } from 'alula/openapi'

const app = express(alula())

app.configure(rest())
app.configure(openapi({ info: { title: 'Notes', version: '1.0.0' } }))
app.use('notes', memory({ startId: 1, paginate: { default: 10, max: 50 } }))
app.use(notFound(), errorHandler())

// A hook runs for every call, from clients and from your own code.
const requireText = async ({ data }) => {
  if (typeof data.text !== 'string') throw new BadRequest("A note needs a 'text'")
}

app.service('notes').hooks({ before: { create: [requireText], update: [requireText] } })
app.service('notes').on('created', ({ id }) => console.log(`created note ${id}`))

// Answers the requests in flight before the process ends.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => app.teardown())

const { port } = (await app.listen(process.env.PORT ?? 3030)).address()

console.log(`Open http://localhost:${port}/docs in a browser, or try: curl http://localhost:${port}/notes`)

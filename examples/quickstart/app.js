import { alula } from 'alula'
import express, { errorHandler, notFound, rest } from 'alula/express'
import { memory } from 'alula/memory'
import { openapi } from 'alula/openapi'
import { schema } from 'alula/schema'
import { z } from 'zod'

const Note = z.object({ id: z.int(), text: z.string().trim().min(1), done: z.boolean().default(false) })
const app = express(alula()) // an application of Express 5, which takes services too

app.configure(rest())
app.configure(openapi({ info: { title: 'Notes', version: '1.0.0' } }))
app.use('notes', memory({ startId: 1, paginate: { default: 10, max: 50 } }), { schema: schema(Note) })
app.use(notFound(), errorHandler())

// A hook runs for every call, from clients and from your own code.
const capitalize = async ({ data }) => {
  if (data.text) data.text = data.text[0].toUpperCase() + data.text.slice(1)
}

app.service('notes').hooks({ before: { create: [capitalize], update: [capitalize], patch: [capitalize] } })
app.service('notes').on('created', ({ id }) => console.log(`created note ${id}`))

// Answers the requests in flight before the process ends.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => app.teardown())

const { port } = (await app.listen(process.env.PORT ?? 3030)).address()

console.log(`Open http://localhost:${port}/docs in a browser, or try: curl http://localhost:${port}/notes`)

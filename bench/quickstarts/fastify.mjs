// The quickstart of alula by hand on Fastify, with qs for the brackets in queries.
import Fastify from 'fastify'
import qs from 'qs'

const app = Fastify({ routerOptions: { querystringParser: (text) => qs.parse(text) } })

const messages = new Map([
  [1, { id: 1, author: 'Ada', text: 'Good morning', createdAt: '2026-01-01T08:00:00.000Z' }],
  [2, { id: 2, author: 'Grace', text: 'Hello Ada', createdAt: '2026-01-01T08:05:00.000Z' }],
  [3, { id: 3, author: 'Ada', text: 'Any news?', createdAt: '2026-01-01T08:10:00.000Z' }]
])
let lastId = messages.size

const texts = (...names) => ({
  body: {
    type: 'object',
    required: names,
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
  }
})
const bySort = ([field, order]) => {
  return (a, b) => (a[field] < b[field] ? -1 : a[field] > b[field] ? 1 : 0) * Number(order)
}
const select = (fields) => (message) =>
  fields ? Object.fromEntries(['id', ...fields].map((field) => [field, message[field]])) : message
const matches = (message, [field, condition]) =>
  typeof condition === 'string' ? message[field] === condition : message[field] > condition.$gt
const requireMessage = ({ params }, reply) =>
  messages.get(Number(params.id)) ??
  reply.code(404).send({ message: `No record found for id '${params.id}'` })

app.get('/messages', async ({ query }) => {
  const { $sort = {}, $limit, $select, ...where } = query
  const limit = Math.min(Number($limit ?? 10), 50)
  const found = [...messages.values()].filter((message) =>
    Object.entries(where).every((condition) => matches(message, condition))
  )

  for (const sort of Object.entries($sort).reverse()) found.sort(bySort(sort))

  return { total: found.length, limit, skip: 0, data: found.slice(0, limit).map(select($select)) }
})

app.get('/messages/:id', async (request, reply) => requireMessage(request, reply))

app.post('/messages', { schema: texts('author', 'text') }, async ({ body: { author, text } }, reply) => {
  const message = { author, text, createdAt: new Date().toISOString(), id: ++lastId }

  messages.set(message.id, message)
  console.log(`created message ${message.id}: ${author} says ${text}`)
  reply.code(201)

  return message
})

app.post('/messages/shout', { schema: texts('text') }, async ({ body }) => ({
  text: body.text.toUpperCase()
}))

app.delete('/messages/:id', async (request, reply) => {
  const message = requireMessage(request, reply)

  messages.delete(message.id)

  return message
})

await app.listen({ port: Number(process.env.PORT ?? 3030) })

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => app.close())
}

console.log(`Listening on http://localhost:${app.server.address().port}`)

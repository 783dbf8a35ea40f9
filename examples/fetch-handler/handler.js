import { alula } from 'alula'
import { BadRequest } from 'alula/errors'
import { createHandler } from 'alula/fetch'
import { memory } from 'alula/memory'

// Nothing in this file is of Node: it runs wherever there are `Request` and `Response`.
const app = alula()

app.use('notes', memory({ startId: 1, paginate: { default: 10, max: 50 } }), {
  methods: ['find', 'get', 'create', 'remove']
})

const pickText = async (context) => {
  const { text } = context.data

  if (typeof text !== 'string') throw new BadRequest("'text' has to be a string")
  context.data = { text, language: context.params.language }
}

app.service('notes').hooks({ before: { create: [pickText] } })

await app.setup()

const handleApi = createHandler(app, {
  prefix: '/api',
  // What is on `params` besides the headers and the query.
  params: (request) => ({ language: request.headers.get('accept-language') ?? 'en' })
})

/** Answers a request: below `/api` the services do, and the rest is up to you. */
export async function handler(request) {
  const { pathname } = new URL(request.url)

  return pathname === '/' ? new Response('The notes are on /api/notes\n') : handleApi(request)
}

/** When the process ends. */
export function teardown() {
  return app.teardown()
}

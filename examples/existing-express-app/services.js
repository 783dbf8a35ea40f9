import { alula } from 'alula'
import { BadRequest, NotAuthenticated } from 'alula/errors'
import { memory } from 'alula/memory'

/** The services, which know nothing of Express. */
export const services = alula()

services.use('notes', memory({ startId: 1, paginate: { default: 10, max: 50 } }), {
  methods: ['find', 'get', 'create', 'remove']
})

// Calls from inside have no provider, and no user.
const requireUser = async ({ params }) => {
  if (params.provider && !params.user) throw new NotAuthenticated('Log in on /login')
}

const pickNote = async (context) => {
  const { data, params } = context

  if (typeof data.text !== 'string') throw new BadRequest("'text' has to be a string")
  context.data = { text: data.text, author: params.user?.name }
}

const onlyOwn = async ({ params }) => {
  if (params.provider) params.query = { ...params.query, author: params.user.name }
}

services.service('notes').hooks({
  before: { all: [requireUser], create: [pickNote], remove: [onlyOwn] }
})

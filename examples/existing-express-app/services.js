import { alula } from 'alula'
import { access } from 'alula/access'
import { BadRequest, NotAuthenticated } from 'alula/errors'
import { memory } from 'alula/memory'

/** The services, which know nothing of Express. */
export const services = alula()

// The login is that of the site. Calls from inside are not asked.
const siteUser = ({ params }) => {
  if (!params.user) throw new NotAuthenticated('Log in on /login')

  return true
}

services.use('notes', memory({ startId: 1, paginate: { default: 10, max: 50 } }), {
  access: access({ all: siteUser }),
  methods: ['find', 'get', 'create', 'remove']
})

const pickNote = async (context) => {
  const { data, params } = context

  if (typeof data.text !== 'string') throw new BadRequest("'text' has to be a string")
  context.data = { text: data.text, author: params.user?.name }
}

const onlyOwn = async ({ params }) => {
  if (params.provider) params.query = { ...params.query, author: params.user.name }
}

services.service('notes').hooks({
  before: { create: [pickNote], remove: [onlyOwn] }
})

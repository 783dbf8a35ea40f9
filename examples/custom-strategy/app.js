import { randomBytes } from 'node:crypto'
import { alula } from 'alula'
import {
  AuthenticationService,
  authenticate,
  hashPassword,
  JWTStrategy,
  LocalStrategy,
  protect
} from 'alula/authentication'
import { BadRequest } from 'alula/errors'
import express, { errorHandler, notFound, rest } from 'alula/express'
import { memory } from 'alula/memory'
import { ApiKeyStrategy, createApiKey, requireRight } from './api-key.js'

const { PORT = 3030, SECRET = randomBytes(48).toString('base64') } = process.env
const RIGHTS = ['notes:read', 'notes:write']

const app = express(alula())

app.configure(rest())

app.set('authentication', {
  secret: SECRET,
  service: 'users',
  entity: 'user',
  // What is good for a token. A key is not: tokens have all rights.
  authStrategies: ['jwt', 'local'],
  // What is looked for in requests, in this order.
  parseStrategies: ['apiKey', 'jwt'],
  local: { usernameField: 'email', passwordField: 'password' },
  apiKey: { header: 'x-api-key', keys: 'keys' }
})

const authentication = new AuthenticationService(app)

authentication.register('jwt', new JWTStrategy())
authentication.register('local', new LocalStrategy())
authentication.register('apiKey', new ApiKeyStrategy())

app.use('authentication', authentication)
app.use('users', memory({ id: 'email' }), { methods: ['get', 'create'] })
app.use('keys', memory(), { methods: ['find', 'create', 'remove'] })
app.use('notes', memory({ startId: 1 }), { methods: ['find', 'create'] })
app.use(notFound())
app.use(errorHandler())

const assertTexts = (data, ...fields) => {
  for (const field of fields) {
    if (typeof data[field] !== 'string') throw new BadRequest(`'${field}' has to be a string`)
  }
}

const pickUser = async (context) => {
  const { email, password } = context.data

  assertTexts(context.data, 'email', 'password')
  context.data = { email, password }
}

const pickNote = async (context) => {
  assertTexts(context.data, 'text')
  context.data = { text: context.data.text, owner: context.params.user.email }
}

const onlyOwn = (field) =>
  async function onlyOwn({ params }) {
    if (params.provider) params.query = { ...params.query, [field]: params.user.email }
  }

/** Stores the digest of a new key, and adds the key to this one answer. */
async function giveKey(context, next) {
  const { name, rights } = context.data
  const { key, ...stored } = createApiKey()

  assertTexts(context.data, 'name')
  if (!Array.isArray(rights) || !rights.every((right) => RIGHTS.includes(right))) {
    throw new BadRequest(`'rights' has to be a list of ${RIGHTS.join(' and ')}`)
  }

  context.data = { ...stored, name, rights, owner: context.params.user.email }
  // Listeners of the event would get the key too.
  context.event = null
  await next()
  context.dispatch = { ...context.dispatch, key }
}

app.service('users').hooks({
  before: { get: [authenticate('jwt'), onlyOwn('email')], create: [pickUser, hashPassword('password')] },
  after: { all: [protect('password')] }
})

// A key makes no keys, and removes none: that takes a token.
app.service('keys').hooks({
  around: { all: [authenticate('jwt')], create: [giveKey] },
  before: { find: [onlyOwn('owner')], remove: [onlyOwn('owner')] },
  after: { all: [protect('digest', 'owner')] }
})

app.service('notes').hooks({
  before: {
    all: [authenticate('jwt', 'apiKey')],
    find: [requireRight('notes:read'), onlyOwn('owner')],
    create: [requireRight('notes:write'), pickNote]
  }
})

const server = await app.listen(Number(PORT))

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => app.teardown())
}

console.log(`alula is listening on http://localhost:${server.address().port}`)

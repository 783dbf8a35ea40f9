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

// Anyone who knows the secret can issue tokens, so it does not belong in the code.
const { PORT = 3030, SECRET = randomBytes(48).toString('base64') } = process.env

const app = express(alula())

app.configure(rest())

app.set('authentication', {
  secret: SECRET,
  service: 'users',
  entity: 'user',
  authStrategies: ['jwt', 'local'],
  local: { usernameField: 'email', passwordField: 'password' }
})

const authentication = new AuthenticationService(app)

authentication.register('jwt', new JWTStrategy())
authentication.register('local', new LocalStrategy())

app.use('authentication', authentication)

// The address is the id, and an id is taken once. In a database, give the column a unique index.
app.use('users', memory({ id: 'email' }), { methods: ['get', 'create', 'patch'] })
app.use('notes', memory({ startId: 1, paginate: { default: 10, max: 50 } }))

app.use(notFound())
app.use(errorHandler())

// One spelling of an address, when it signs up and when it logs in.
const lowerCaseEmail = async (context) => {
  const { email } = context.data

  if (typeof email === 'string') context.data = { ...context.data, email: email.trim().toLowerCase() }
}

// What clients send beyond these fields is not stored.
const pickUser = async (context) => {
  const { email, password } = context.data

  if (typeof email !== 'string' || !email.includes('@')) throw new BadRequest("'email' has to be an address")
  context.data = { email, password: checkPassword(password) }
}

const pickNewPassword = async (context) => {
  context.data = { password: checkPassword(context.data.password) }
}

function checkPassword(password) {
  if (typeof password === 'string' && password.length >= 8) return password

  throw new BadRequest("'password' has to be a string of at least 8 characters")
}

// A stolen token is not enough to lock its owner out.
const verifyOldPassword = async ({ app, data, params }) => {
  const login = { strategy: 'local', email: params.user.email, password: data.oldPassword }

  await app.service('authentication').authenticate(login, {}, 'local')
}

// The records of others are not there: a 404, where a 403 would tell that they exist. The authentication service
// calls `users` from inside, before it knows the user.
const onlyOwn = (field) =>
  async function onlyOwn({ params }) {
    if (params.provider) params.query = { ...params.query, [field]: params.user.email }
  }

// The owner is who the token says, whatever the data says. Calls from inside pass `{ user }`.
const pickNote = async (context) => {
  const { data, params } = context

  if (typeof data.text !== 'string') throw new BadRequest("'text' has to be a string")
  context.data = { text: data.text, owner: params.user.email }
}

app.service('authentication').hooks({ before: { create: [lowerCaseEmail] } })

app.service('users').hooks({
  before: {
    get: [authenticate('jwt'), onlyOwn('email')],
    create: [lowerCaseEmail, pickUser, hashPassword('password')],
    patch: [
      authenticate('jwt'),
      onlyOwn('email'),
      verifyOldPassword,
      pickNewPassword,
      hashPassword('password')
    ]
  },
  after: { all: [protect('password')] }
})

app.service('notes').hooks({
  before: {
    all: [authenticate('jwt')],
    find: [onlyOwn('owner')],
    get: [onlyOwn('owner')],
    create: [pickNote],
    update: [onlyOwn('owner'), pickNote],
    patch: [onlyOwn('owner'), pickNote],
    remove: [onlyOwn('owner')]
  }
})

app.on('login', ({ user }) => console.log(`${user.email} logged in`))
app.on('logout', ({ user }) => console.log(`${user.email} logged out`))

const server = await app.listen(Number(PORT))

// Finishes the requests that are in flight, then tears the services down.
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => app.teardown())
}

if (!process.env.SECRET) console.log('No SECRET is set: this one is random, and tokens end with the process.')
console.log(`alula is listening on http://localhost:${server.address().port}`)

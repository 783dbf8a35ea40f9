import {
  AuthenticationService,
  hashPassword,
  JWTStrategy,
  LocalStrategy,
  protect
} from 'alula/authentication'
import { BadRequest } from 'alula/errors'

/** Users who sign up with an e-mail and a password, and log in. */
export function users(stores, secret) {
  return (app) => {
    app.set('authentication', {
      secret,
      service: 'users',
      entity: 'user',
      authStrategies: ['jwt', 'local'],
      local: { usernameField: 'email', passwordField: 'password' }
    })

    const authentication = new AuthenticationService(app)

    authentication.register('jwt', new JWTStrategy())
    authentication.register('local', new LocalStrategy())

    app.use('authentication', authentication)
    // The address is the id, and an id is taken once.
    app.use('users', stores.create('users', { id: 'email' }), { methods: ['create'] })

    app.service('authentication').hooks({ before: { create: [lowerCaseEmail] } })

    app.service('users').hooks({
      before: { create: [lowerCaseEmail, pickUser, hashPassword('password')] },
      after: { all: [protect('password')] }
    })
  }
}

/** One spelling of an address, when it signs up and when it logs in. */
async function lowerCaseEmail(context) {
  const { email } = context.data

  if (typeof email === 'string') context.data = { ...context.data, email: email.trim().toLowerCase() }
}

/** What clients send beyond these fields is not stored. */
async function pickUser(context) {
  const { email, password } = context.data

  if (typeof email !== 'string' || email.length > 254 || !/^[^\s@]+@[^\s@]+$/.test(email)) {
    throw new BadRequest("'email' has to be an address")
  }
  if (typeof password !== 'string' || password.length < 8) {
    throw new BadRequest("'password' has to be a string of at least 8 characters")
  }

  context.data = { email, password }
}

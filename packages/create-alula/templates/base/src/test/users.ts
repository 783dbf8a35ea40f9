import { app } from '../app.ts'

let number = 0

/** Creates a user with a new address. */
export function createUser() {
  number++

  return app.service('users').create({ email: `user-${number}@example.com`, password: 'correct horse' })
}

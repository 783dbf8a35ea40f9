import { loginAs, type TestUser } from 'alula-testing'
import { type Application, alula } from '../../../src/index.ts'
import { memory } from '../../../src/memory.ts'
import { addAuthentication } from '../../support/login.ts'

/** Users who call services: 1 and 2 are equal, 3 is an administrator. */
export const USERS = { 1: { id: 1, name: 'ada' }, 2: { id: 2, name: 'grace' }, 3: { id: 3, role: 'admin' } }

/** An application to which users can log in. */
export function createApp(): Application {
  const app = alula()

  app.configure(configureUsers)

  return app
}

/** Gives an application users and a login. */
export function configureUsers(app: Application): void {
  addAuthentication(app)
  app.use('users', memory({ store: USERS }), { methods: [] })
}

/** The users of an application, logged in. */
export async function logIn(app: Application): Promise<{ ada: TestUser; grace: TestUser; root: TestUser }> {
  const [ada, grace, root] = (await Promise.all(
    [1, 2, 3].map(async (id) => loginAs(app, await app.service('users').get(id)))
  )) as [TestUser, TestUser, TestUser]

  return { ada, grace, root }
}

/** The status of a call. */
export async function toStatus(call: Promise<unknown>): Promise<number> {
  return await call.then(
    () => 200,
    (error) => error.code ?? error
  )
}

// Who makes the calls of a proof.
import type { Application } from 'alula'
import { createTypeError, readEntityId } from 'alula/plugin'
import { hasCode, isFunction, isObject } from './check.ts'
import { createTestClient, loginAs, loginLongAgo, type TestClient } from './client.ts'

/** Who makes a call. */
export interface Caller {
  readonly name: string
  /** The user as it is now; missing without a login. */
  readonly entity?: object
  readonly client: TestClient
}

/** Users by what a proof calls them, as their service returned them. */
export interface Users {
  readonly [name: string]: object | undefined
}

/** The caller without a login. */
export const ANONYMOUS = 'nobody'

/**
 * Refuses users who are not there: they would make no call, which proves nothing. Throws TypeError for what is no entity, and
 * for one that its service does not have.
 */
export async function assertUsers(app: Application, users: Users): Promise<void> {
  for (const [name, entity] of Object.entries(users)) {
    if (isObject(entity) && !(await findEntity(app, entity))) {
      throw createTypeError(
        'ALULA_INVALID_OPTION',
        `Invalid option 'users' of proveExposure: '${getEntityPath(app)}' has no record of '${name}'`
      )
    }

    // Its error says what is wrong with anything but an entity.
    await loginAs(app, entity as object)
  }
}

/**
 * Logs a caller in for one call; `undefined` for a user who is removed. A call before may have changed the password, which
 * revokes all tokens.
 */
export async function createCaller(
  app: Application,
  name: string,
  users: Users
): Promise<Caller | undefined> {
  if (name === ANONYMOUS) return { name, client: createTestClient(app) }

  const entity = await findEntity(app, users[name] as object)

  return entity && { name, entity, client: await loginAs(app, entity) }
}

/** Logs a user in for one call, with a login that was long ago; `undefined` for a user who is removed. */
export async function createStaleCaller(
  app: Application,
  name: string,
  users: Users
): Promise<Caller | undefined> {
  const entity = await findEntity(app, users[name] as object)

  return entity && { name: `${name} (old login)`, entity, client: await loginLongAgo(app, entity) }
}

/** An entity as it is now; `undefined` for one that is gone. */
async function findEntity(app: Application, entity: object): Promise<object | undefined> {
  const service = app.services[getEntityPath(app) ?? '']
  const id = readEntityId(app, entity)

  if (id === undefined || !isFunction(service?.get)) return entity

  try {
    return await service.get(id)
  } catch (error) {
    if (hasCode(error, 404)) return undefined
    throw error
  }
}

/** The path of the service of the users; `undefined` without one. */
export function getEntityPath(app: Application): string | undefined {
  return app.defaultAuthentication?.()?.configuration.service
}

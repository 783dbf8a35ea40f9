// Settings that the database reads while it decides which rows a call sees.
import { sql } from 'kysely'
import { isFunction, isObject } from '../utils/check.ts'
import { createError, createTypeError } from '../utils/developer-error.ts'
import type { AnyKysely } from './any-kysely.ts'
import { atomically } from './atomic.ts'
import { type CurrentCall, type Database, findDatabase, type SessionOption } from './databases.ts'
import type { Place } from './dialect.ts'
import { toFeathersError } from './errors.ts'

/** An application, as far as its calls are followed. */
interface HookedApplication {
  hooks(hooks: object): unknown
}

/** Settings of an application have a dot in their names; those of the database have none. */
const SETTING_NAME = /^[a-z_]\w*(\.[a-z_]\w*)+$/i

/** A Kysely instance whose calls have the settings of a function. It is made once, and relations know it by that. */
export function withSettings(Model: AnyKysely, session: SessionOption): AnyKysely {
  const database = findDatabase(Model)
  const { sessions } = database.getInstance(Model)
  const instance = sessions.get(session) ?? Model.withTables()

  database.getInstance(instance).session = session
  sessions.set(session, instance)

  return instance
}

/**
 * Runs the statements of a call that belongs to no transaction: where it has settings, in a transaction of its own, with
 * which they end.
 */
export function runWithSettings<T>(
  params: object | undefined,
  Model: AnyKysely,
  work: (db: AnyKysely) => Promise<T>
): Promise<T> {
  if (!findDatabase(Model).getInstance(Model).session) return work(Model)

  return atomically(Model, async (db) => {
    await setSettings(params, Model, db)

    return await work(db)
  })
}

/**
 * Gives the transaction of a call the settings of the call. Settings that only other calls of the transaction have become
 * empty.
 *
 * @param params The params of the call
 * @param Model The Kysely instance of its service
 * @param db The transaction
 */
export async function setSettings(
  params: object | undefined,
  Model: AnyKysely,
  db: AnyKysely
): Promise<void> {
  const database = findDatabase(Model)
  const { session } = database.getInstance(Model)
  const settings = session ? readSettings(session, database.calls.getStore()?.params ?? params) : new Map()

  for (const name of settings.keys()) database.settings.add(name)
  if (database.settings.size === 0) return

  const parts = [...database.settings].map(
    (name) => sql`set_config(${name}, ${settings.get(name) ?? ''}, true)`
  )

  await sql`select ${sql.join(parts)}`.execute(db)
}

/** @throws TypeError for what is no object of settings */
function readSettings(session: SessionOption, params: object = {}): ReadonlyMap<string, string> {
  const settings: unknown = session(params)

  if (!isObject(settings)) throw toSessionError(`an object of settings, got ${typeof settings}`)

  return new Map(Object.entries(settings).map(([name, value]) => [name, toText(name, value)]))
}

function toText(name: string, value: unknown): string {
  if (!SETTING_NAME.test(name)) throw toSessionError(`names with a dot, as in 'app.user_id', got '${name}'`)
  if (value === undefined || value === null) return ''
  if (!['string', 'number', 'bigint', 'boolean'].includes(typeof value)) {
    throw toSessionError(`a string, a number or a boolean for '${name}', got ${typeof value}`)
  }

  return String(value)
}

function toSessionError(expected: string): Error {
  return createTypeError('ALULA_INVALID_OPTION', `Invalid adapter option 'session': expected ${expected}`)
}

/** Remembers which call of a client runs, for the calls that code of the application makes meanwhile. */
export function followCalls(app: unknown, database: Database): void {
  if (!isHooked(app) || database.followed.has(app)) return

  database.followed.add(app)
  app.hooks({
    around: {
      all: [
        (context: CurrentCall, next: () => Promise<void>) =>
          context.params.provider ? database.calls.run(context, next) : next()
      ]
    }
  })
}

function isHooked(app: unknown): app is HookedApplication {
  return isFunction((app as Partial<HookedApplication> | undefined)?.hooks)
}

/**
 * Refuses the start where the policies of a table do not hold for the role of a service.
 *
 * @param Model The Kysely instance of the service
 * @param place The table
 * @param path The path of the service
 * @throws Error that says why they do not hold; Unavailable when the database is away
 */
export async function assertRowSecurity(Model: AnyKysely, place: Place, path = place.name): Promise<void> {
  const reason = await findDatabase(Model)
    .dialect.findUnheld?.(Model.withoutPlugins(), place)
    .catch((error) => {
      throw toFeathersError(error)
    })

  if (reason === undefined) return

  throw createError(
    'ALULA_ROW_SECURITY',
    `The service '${path}' has the option 'session', but row level security does not hold for it: ${reason}`
  )
}

// Settings that the database reads while it decides which rows a call sees.
import { sql } from 'kysely'
import { FeathersError } from '../errors.ts'
import { describeValue } from '../query/operators.ts'
import { getInherited } from '../utils/call-state.ts'
import { createError, createTypeError } from '../utils/developer-error.ts'
import { isPlainObject } from '../utils/object.ts'
import { isPromise } from '../utils/promise.ts'
import type { AnyKysely } from './any-kysely.ts'
import { atomically } from './atomic.ts'
import { type CurrentCall, type Database, findDatabase, type SessionOption } from './databases.ts'
import type { Place } from './dialect.ts'

/** Settings by their names in lower case. */
type Settings = ReadonlyMap<string, string>

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
  const settings = toSettings(params, Model)

  if (!settings) return work(Model)

  return atomically(Model, async (db) => {
    await applySettings(settings, Model, db)

    return await work(db)
  })
}

/**
 * Gives the transaction of a call the settings of the call. Settings that only other calls of the transaction have become
 * empty.
 */
export async function setSettings(
  params: object | undefined,
  Model: AnyKysely,
  db: AnyKysely
): Promise<void> {
  await applySettings(toSettings(params, Model) ?? new Map(), Model, db)
}

/** The settings of a call as a string: where it is the same, policies show the same rows. `undefined` where there are none. */
export function toSettingsKey(params: object | undefined, Model: AnyKysely): string | undefined {
  const settings = toSettings(params, Model)

  return settings && JSON.stringify([...settings].sort())
}

/**
 * The settings of a call: those of the call of a client that runs now, where its own params do not say otherwise. `undefined`
 * where the calls of a Kysely instance have none. Throws TypeError for what is no object of settings.
 */
function toSettings(params: object | undefined, Model: AnyKysely): Settings | undefined {
  const database = findDatabase(Model)
  const { session } = database.getInstance(Model)

  if (!session) return undefined

  const { reader } = getInherited(params)

  return readSettings(session, { ...database.calls.getStore()?.params, ...reader, ...params })
}

async function applySettings(settings: Settings, Model: AnyKysely, db: AnyKysely): Promise<void> {
  const database = findDatabase(Model)

  for (const name of settings.keys()) database.settings.add(name)
  if (database.settings.size === 0) return

  const parts = [...database.settings].map(
    (name) => sql`set_config(${name}, ${settings.get(name) ?? ''}, true)`
  )

  await sql`select ${sql.join(parts)}`.execute(db)
}

function readSettings(session: SessionOption, params: object): Settings {
  const settings: unknown = makeSettings(session, params)

  if (isPromise(settings))
    throw toSessionError('an object of settings, got a promise: the function cannot be async')
  if (!isPlainObject(settings)) throw toSessionError(`an object of settings, got ${describeValue(settings)}`)

  // The database does not tell capitals apart.
  return new Map(Object.entries(settings).map(([name, value]) => [name.toLowerCase(), toText(name, value)]))
}

/** What the function throws looks like an error of the database where it is called. */
function makeSettings(session: SessionOption, params: object): unknown {
  try {
    return session(params)
  } catch (error) {
    if (error instanceof FeathersError) throw error

    throw createError(
      'ALULA_INVALID_OPTION',
      `The adapter option 'session' has thrown: ${error instanceof Error ? error.message : String(error)}. Params may have no user`,
      { cause: error }
    )
  }
}

function toText(name: string, value: unknown): string {
  if (!SETTING_NAME.test(name)) {
    throw toSessionError(
      `names of letters, digits and '_' with a dot between them, as in 'app.user_id', got '${name}'`
    )
  }
  if (value === undefined || value === null) return ''
  if (!['string', 'number', 'bigint', 'boolean'].includes(typeof value)) {
    throw toSessionError(`a string, a number or a boolean for '${name}', got ${describeValue(value)}`)
  }

  return String(value)
}

function toSessionError(expected: string): Error {
  return createTypeError('ALULA_INVALID_OPTION', `Invalid adapter option 'session': expected ${expected}`)
}

/** Remembers which call of a client runs, for the calls that code of the application makes meanwhile. */
export function followCalls(app: unknown, database: Database): void {
  const hooked = app as { hooks?(hooks: object): unknown } | undefined

  if (!hooked?.hooks || database.followed.has(hooked)) return

  database.followed.add(hooked)
  hooked.hooks({
    around: {
      all: [
        (context: CurrentCall, next: () => Promise<void>) =>
          context.params.provider ? database.calls.run(context, next) : next()
      ]
    }
  })
}

/**
 * Refuses a table whose policies do not hold for the role of the connection, by an Error that says why. What the driver throws
 * comes as it is: it tells the transaction whether it is lost.
 */
export async function assertRowSecurity(db: AnyKysely, place: Place, path = place.name): Promise<void> {
  const reason = await findDatabase(db).dialect.findUnheld?.(db.withoutPlugins(), place)

  if (reason === undefined) return

  throw createError(
    'ALULA_ROW_SECURITY',
    `The service '${path}' has the option 'session', but row level security does not hold for it: ${reason}`
  )
}

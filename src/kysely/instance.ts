import type { AnyKysely } from './any-kysely.ts'
import { findDatabase } from './databases.ts'

/** A Kysely instance whose tables are in a schema. It is made once: what is known of its tables belongs to it. */
export function withSchema(Model: AnyKysely, schema: string): AnyKysely {
  const { schemas } = findDatabase(Model).getInstance(Model)
  const instance = schemas.get(schema) ?? Model.withSchema(schema)

  schemas.set(schema, instance)

  return instance
}

/** A transaction, with what a Kysely instance has been told to do with its statements. */
export function withPluginsOf<Instance extends AnyKysely>(Model: AnyKysely, transaction: Instance): Instance {
  const { plugins } = Model.getExecutor()

  return plugins.reduce<AnyKysely>(
    (db, plugin) => db.withPlugin(plugin),
    transaction.withoutPlugins()
  ) as Instance
}

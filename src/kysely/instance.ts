import type { Kysely } from 'kysely'

/** The instances for schemas, so that each is made once. */
const instances = new WeakMap<Kysely<any>, Map<string, Kysely<any>>>()

/** A Kysely instance whose tables are in a schema. */
export function withSchema(Model: Kysely<any>, schema: string): Kysely<any> {
  const known = instances.get(Model) ?? new Map<string, Kysely<any>>()
  const instance = known.get(schema) ?? Model.withSchema(schema)

  instances.set(Model, known.set(schema, instance))

  return instance
}

/** A transaction, with what a Kysely instance has been told to do with its statements. */
export function withPluginsOf<Instance extends Kysely<any>>(
  Model: Kysely<any>,
  transaction: Instance
): Instance {
  const { plugins } = Model.getExecutor()

  return plugins.reduce<any>((db, plugin) => db.withPlugin(plugin), transaction.withoutPlugins())
}

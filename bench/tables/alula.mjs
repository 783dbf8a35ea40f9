// The service of alula, by its public methods.
import { kysely } from '../../dist/kysely.js'
import { openKysely } from './kysely.mjs'

export async function openTable(database, name) {
  const db = await openKysely(database, name)
  const service = kysely({ Model: db, name, multi: ['create'], paginate: { default: 10, max: 50 } })

  return {
    get: (id) => service.get(id),
    page: (query) => service.find({ query }),
    patch: (id, data) => service.patch(id, data),
    create: (data) => service.create(data),
    drop: async () => {
      await db.schema.dropTable(name).execute()
      await db.destroy()
    }
  }
}

import { expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { kysely } from '../../src/kysely.ts'
import { createTable, describeDatabases, POSTGRES } from '../support/sql.ts'

// Elsewhere lists are JSON, which may be anything.
describeDatabases(
  'a filter by a column of lists',
  (database) => {
    it('is refused, and finds those without a list', async () => {
      const db = await createTable(
        database,
        'alula_lists',
        `id ${database.countedId}, tags text[], name text`
      )
      const app: any = alula()

      app.use('notes', kysely({ Model: db, name: 'alula_lists', multi: true, operators: ['$like'] }))

      const notes = app.service('notes')

      await notes.create([{ tags: ['hot'] }, { name: 'x' }])

      for (const tags of ['hot', { $ne: 'hot' }, { $in: ['hot', null] }, { $gt: 'a' }, { $like: 'h%' }]) {
        for (const query of [{ tags }, { $or: [{ tags }, { name: 'x' }] }]) {
          await expect(notes.find({ query }), JSON.stringify(query)).rejects.toMatchObject({
            code: 400,
            message: "Invalid query: 'tags' is a list, which cannot be compared"
          })
        }
      }

      expect(await notes.find({ query: { tags: null } })).toMatchObject([{ name: 'x' }])
      expect(await notes.find({ query: { tags: { $ne: null } } })).toMatchObject([{ tags: ['hot'] }])
    })
  },
  [POSTGRES]
)

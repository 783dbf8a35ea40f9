import { expect, it } from 'vitest'
import { kysely } from '../../src/kysely.ts'
import { scaled } from '../support/scale.ts'
import { createTable, describeDatabases } from '../support/sql.ts'

const RIVALS = 60

describeDatabases('of sixty who want a record', (database) => {
  it('one gets it: a patch on a condition is one step', async () => {
    const { countedId, text } = database
    const db = await createTable(database, 'alula_rivals', `id ${countedId}, owner ${text}, version integer`)
    const service = kysely({ Model: db, name: 'alula_rivals', multi: true })
    const { id } = await service.create({ owner: 'nobody', version: 0 })

    for (let version = 0; version < scaled(1000); version++) {
      // By the id or by the query alone, by turns.
      const target = version % 2 === 0 ? id : null
      const results = await Promise.allSettled(
        Array.from({ length: RIVALS }, (_, rival) =>
          service.patch(
            target as any,
            { owner: `rival ${rival}`, version: version + 1 },
            { query: { version } }
          )
        )
      )
      const winners = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
      const errors = results.flatMap((result) => (result.status === 'rejected' ? result.reason.name : []))

      expect(winners).toHaveLength(1)
      expect(errors).toEqual(Array(target === null ? 0 : RIVALS - 1).fill('NotFound'))
      expect(await service.get(id)).toEqual(winners[0])
    }
  }, 600_000)

  it('one removes it, and one creates it', async () => {
    const db = await createTable(database, 'alula_rivals', 'id integer primary key, version integer')
    const service = kysely({ Model: db, name: 'alula_rivals' })

    for (let round = 0; round < scaled(200); round++) {
      const creations = await Promise.allSettled(
        Array.from({ length: RIVALS }, (_, version) => service.create({ id: 1, version }))
      )
      const removals = await Promise.allSettled(Array.from({ length: RIVALS }, () => service.remove(1)))

      for (const [results, refusal] of [
        [creations, 'Conflict'],
        [removals, 'NotFound']
      ] as const) {
        const errors = results.flatMap((result) => (result.status === 'rejected' ? result.reason.name : []))

        expect(errors).toEqual(Array(RIVALS - 1).fill(refusal))
      }
    }
  }, 600_000)

  it('one creates it again, by an id that is text', async () => {
    const db = await createTable(database, 'alula_rivals', 'id varchar(50) primary key, version integer')
    const service = kysely({ Model: db, name: 'alula_rivals' })

    for (let round = 0; round < scaled(400); round++) {
      const creations = await Promise.allSettled(
        Array.from({ length: RIVALS }, (_, version) => service.create({ id: 'a seat', version }))
      )
      const errors = creations.flatMap((result) => (result.status === 'rejected' ? result.reason.name : []))

      expect(errors).toEqual(Array(RIVALS - 1).fill('Conflict'))
      // InnoDB keeps what was removed for a while, and rivals for its place stand in each other's way.
      await service.remove('a seat')
    }
  }, 600_000)
})

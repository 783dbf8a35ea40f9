import fc from 'fast-check'
import { expect, it } from 'vitest'
import { kysely } from '../../src/kysely.ts'
import { memory } from '../../src/memory.ts'
import { PATTERN_PREDICATES } from '../../src/query/like.ts'
import { scaled } from '../support/scale.ts'
import { createTable, describeDatabases } from '../support/sql.ts'

const OPERATORS = ['$like', '$notlike', '$ilike']

/** What services and the reference of these tests are told. */
const OPTIONS = { multi: true, operators: [...OPERATORS, '$not'] }

describeDatabases('a pattern', (database) => {
  it('that is too long for some databases is a 400 for all, and in memory', async () => {
    const db = await createTable(database, 'alula_pattern', `id ${database.countedId}, name ${database.text}`)
    const services: any[] = [
      kysely({ Model: db, name: 'alula_pattern', ...OPTIONS }),
      memory({ ...OPTIONS, predicates: PATTERN_PREDICATES })
    ]

    for (const service of services) {
      await service.create({ name: 'Ada' })

      for (const operator of OPERATORS) {
        // What takes the most bytes: four for a character, and three for one that has a meaning to GLOB.
        for (const character of ['a', '*', '|', '\u{1F426}']) {
          const longest = character.repeat(100 / character.length)

          expect(await service.find({ query: { name: { [operator]: longest } } })).toHaveLength(
            operator === '$notlike' ? 1 : 0
          )
          await expect(
            service.find({ query: { name: { [operator]: `${longest}a` } } })
          ).rejects.toMatchObject({
            code: 400,
            message: `Invalid query: '${operator}' expects a pattern of at most 100 characters`
          })
        }
      }
    }
  })

  it.each([[7], [null], [{}], [['a']], ['a\\']])(
    'that is none is a 400, as in memory: %j',
    async (pattern) => {
      const db = await createTable(
        database,
        'alula_pattern',
        `id ${database.countedId}, name ${database.text}`
      )

      for (const service of [
        kysely({ Model: db, name: 'alula_pattern', ...OPTIONS }),
        memory({ ...OPTIONS, predicates: PATTERN_PREDICATES })
      ]) {
        for (const operator of OPERATORS) {
          const query: any = { name: { [operator]: pattern } }

          await expect(service.find({ query })).rejects.toMatchObject({ name: 'BadRequest' })
        }
      }
    }
  )

  it('finds the same records as in memory', async () => {
    const db = await createTable(database, 'alula_pattern', `id ${database.countedId}, name ${database.text}`)
    const service: any = kysely({ Model: db, name: 'alula_pattern', ...OPTIONS })
    const reference: any = memory({ ...OPTIONS, predicates: PATTERN_PREDICATES })
    // The Kelvin sign and the long s are `k` and `s` to some, and a blank at the end is nothing.
    const characters = [...'aAbkKsS\u212A\u017FäÄ*?[]^-|\'"` \u{1F426}', 'ss', 'ß', 'a\u0308']
    const text = fc.array(fc.constantFrom(...characters), { maxLength: 5 })
    const names = [null, ...fc.sample(text, 200).map((parts) => parts.join(''))]
    const data = names.map((name, index) => ({ id: index + 1, name }))

    await service.create(data)
    await reference.create(data)

    const part = fc.oneof(
      fc.constantFrom('%', '_', '\\%', '\\_', '\\\\', '%', '_'),
      fc.constantFrom(...characters)
    )
    const pattern = fc.array(part, { maxLength: 5 }).map((parts) => parts.join(''))

    await fc.assert(
      fc.asyncProperty(pattern, fc.constantFrom(...OPERATORS), async (pattern, operator) => {
        const condition = { name: { [operator]: pattern } }

        for (const query of [condition, { $not: condition }]) {
          const params = { query: { ...query, $sort: { id: 1 } } }

          expect(await service.find(params)).toEqual(await reference.find(params))
        }
      }),
      { numRuns: scaled(10_000) }
    )
  }, 120_000)
})

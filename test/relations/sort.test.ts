// Which numbers of related records clients can sort by.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { count, exists, schema } from '../../src/schema.ts'

const Report = z.object({ id: z.int(), userId: z.int() })
const User = z.object({ id: z.int(), name: z.string() })
const ada = { id: 1, name: 'Ada' }
const bob = { id: 2, name: 'Bob' }

/** Users of whom the second one has a report, as a client calls them. */
function open(settings: object = {}, paginate: object = { default: 10 }): any {
  const app: any = alula()
  const relations = { reports: count('reports', { to: 'userId' }), any: exists('reports', { to: 'userId' }) }

  app.use('reports', memory({ store: [{ id: 1, userId: 2 }] }), { schema: schema(Report) })
  app.use('users', memory({ store: [ada, bob], paginate }), {
    schema: schema(User, { relations, ...settings })
  })

  return app.asClient({}).service('users')
}

const refusal = (name: string) => ({ code: 400, errors: { [name]: 'is not a field to sort by' } })

describe('a number of related records', () => {
  it('that is hidden is not sorted by', async () => {
    const users = open({ hidden: ['reports'] })

    await expect(users.find({ query: { $sort: { reports: -1 } } })).rejects.toMatchObject(refusal('reports'))
    expect((await users.find({ query: { $sort: { any: -1 } } })).data).toEqual([bob, ada])
  })

  it('is sorted by only where the settings of queries name it, if they name what is', async () => {
    const users = open({ query: { sort: ['name', 'reports'] } })

    await expect(users.find({ query: { $sort: { any: -1 } } })).rejects.toMatchObject(refusal('any'))
    expect((await users.find({ query: { $sort: { reports: -1 } } })).data).toEqual([bob, ada])
    expect((await users.find({ query: { $sort: { name: -1 } } })).data).toEqual([bob, ada])

    for (const query of [{ fields: ['reports'] }, { sort: ['report'] }]) {
      expect(() => open({ query })).toThrow(expect.objectContaining({ code: 'ALULA_UNKNOWN_FIELD' }))
    }
    expect(() => open({ hidden: ['reports'], query: { sort: ['reports'] } })).toThrow(
      expect.objectContaining({ code: 'ALULA_INVALID_SCHEMA' })
    )
  })

  it('orders pages with cursors, without a secret too', async () => {
    const paginate = { default: 1, cursor: true }
    const users = open({}, paginate)
    const $sort = { reports: -1 }
    const { data, endCursor } = await users.find({ query: { $sort } })

    expect(data).toEqual([bob])
    expect((await users.find({ query: { $sort, $after: endCursor } })).data).toEqual([ada])
  })
})

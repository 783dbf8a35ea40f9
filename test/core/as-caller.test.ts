import { expect, it } from 'vitest'
import { alula, asCaller, type Params } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { addInherited, addServiceSlots, getInherited, getServiceSlots } from '../../src/utils/call-state.ts'

it('params of an internal call stay internal', () => {
  const transaction = {}

  expect(asCaller({ transaction, query: { a: 1 }, paginate: false } as Params, { b: 2 })).toEqual({
    ...{ transaction, query: { b: 2 } }
  })
  expect(asCaller(undefined)).toEqual({ query: {} })
})

it('params keep what is of the caller, and nothing that is of the call', () => {
  const service = {}
  const budget = { left: 1, characters: 1 }
  const caller = { provider: 'rest', user: { id: 1 }, headers: {}, route: { slug: 'one' }, transaction: {} }
  const params = { ...caller, query: { a: 1 }, paginate: false, adapter: { id: 'slug' }, schema: false }
  const kept = addInherited(addServiceSlots(params, service, { isLogin: true }), { budget })

  for (const given of [params, kept]) {
    const before = { ...given }
    const called = asCaller(given as Params, { b: 2 })

    expect(called).toMatchObject({ ...caller, query: { b: 2 } })
    expect(Object.keys(called).sort()).toEqual([...Object.keys(caller), 'query'].sort())
    expect(getServiceSlots(called, service)).toEqual({})
    expect(given).toEqual(before)
  }

  expect(getInherited(asCaller(kept as Params)).budget).toBe(budget)
})

it('the call names its record as a client does, and calls with its params do not', async () => {
  const app: any = alula()
  const ids: unknown[] = []

  app.use('articles', memory(), { by: 'slug' })
  app.use('logs', memory())
  app.service('articles').hooks({ before: { get: [({ id }: any) => void ids.push(id)] } })
  app.service('logs').hooks({
    before: { get: [async ({ params }: any) => void (await app.service('articles').get(0, { ...params }))] }
  })
  app.use('outer', {
    find: async (params: Params) => [
      await app.service('articles').get('one', asCaller(params)),
      await app.service('logs').get(0, asCaller(params))
    ]
  })

  await app.service('articles').create({ slug: 'one' })
  await app.service('logs').create({})

  expect(await app.asClient().service('outer').find()).toEqual([{ id: 0, slug: 'one' }, { id: 0 }])
  expect(ids).toEqual(['one', 0])

  // From inside, the id is the id.
  await expect(app.service('outer').find()).rejects.toMatchObject({ code: 404 })
})

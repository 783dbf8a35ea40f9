import { expect, it } from 'vitest'
import { memory } from '../../src/memory.ts'

const RIVALS = 50

async function settle(calls: Promise<unknown>[]) {
  const results = await Promise.allSettled(calls)

  return {
    won: results.filter(({ status }) => status === 'fulfilled').length,
    errors: new Set(results.flatMap((result) => (result.status === 'rejected' ? [result.reason.name] : [])))
  }
}

const times = <T>(count: number, run: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => run(index))

it('of 50 rivals that patch what is free, one wins', async () => {
  const service = memory({ store: { 1: { id: 1, state: 'free' } } })
  const calls = times(RIVALS, (owner) =>
    service.patch(1, { state: 'taken', owner }, { query: { state: 'free' } })
  )

  expect(await settle(calls)).toEqual({ won: 1, errors: new Set(['NotFound']) })
  expect(await service.get(1)).toEqual({ id: 1, state: 'taken', owner: 0 })
})

it('of 50 rivals that update or remove what is free, one wins', async () => {
  const update = memory({ store: { 1: { id: 1, state: 'free' } } })
  const remove = memory({ store: { 1: { id: 1, state: 'free' } } })
  const query = { state: 'free' }

  expect(await settle(times(RIVALS, () => update.update(1, { state: 'taken' }, { query })))).toEqual({
    won: 1,
    errors: new Set(['NotFound'])
  })
  expect(await settle(times(RIVALS, () => remove.remove(1, { query })))).toEqual({
    won: 1,
    errors: new Set(['NotFound'])
  })
})

it('of 50 rivals that patch all that is free, each record has one winner', async () => {
  const service = memory({ multi: true })

  await service.create(times(10, (n) => ({ n, state: 'free' })))

  const results = await Promise.all(
    times(RIVALS, (owner) => service.patch(null, { state: 'taken', owner }, { query: { state: 'free' } }))
  )

  expect(results.flat()).toHaveLength(10)
  expect(results.filter((patched) => patched.length > 0)).toHaveLength(1)
})

it('of 50 rivals that create with one id, one wins, and nothing is overwritten', async () => {
  const service = memory({ multi: true })
  const calls = times(RIVALS, (n) =>
    n % 2 === 0 ? service.create({ id: 'one', n }) : service.create([{ n }, { id: 'one', n }])
  )

  expect(await settle(calls)).toEqual({ won: 1, errors: new Set(['Conflict']) })
  expect(await service.find()).toEqual([{ id: 'one', n: 0 }])
})

it('no generated id is given twice, and none that is taken', async () => {
  const service = memory({ multi: true, store: { 3: { id: 3 } } })
  const created = await Promise.all(
    times(RIVALS, (n) => (n % 5 === 0 ? service.create({ id: n }) : service.create({ n }))).map((call) =>
      call.catch(() => ({ id: 'refused' }))
    )
  )
  const ids = created.map(({ id }) => id).filter((id) => id !== 'refused')

  expect(new Set(ids).size).toBe(ids.length)
  expect(ids).not.toContain(3)
  expect(await service.find()).toHaveLength(ids.length + 1)
})

it('increments that wait for what they read are seen one by one', async () => {
  const service = memory({ store: { 1: { id: 1, count: 0 } } })

  const increment = async (): Promise<void> => {
    const { count } = await service.get(1)

    await service.patch(1, { count: count + 1 }, { query: { count } }).catch(increment)
  }

  await Promise.all(times(RIVALS, increment))

  expect(await service.get(1)).toEqual({ id: 1, count: RIVALS })
})

it('what a caller changes after a call does not reach it', async () => {
  const service = memory({ multi: true, store: { 1: { id: 1, a: 1 }, 2: { id: 2, a: 2 } } })
  const data: any = { a: { nested: [1] } }
  const query: any = { a: 2 }
  const calls = [service.create(data), service.find({ query })]

  data.a.nested.push(2)
  query.a = 1

  const [created, found] = await Promise.all(calls)

  expect(found).toEqual([{ id: 2, a: 2 }])
  expect((await service.get((created as any).id)).a).toEqual((created as any).a)
})

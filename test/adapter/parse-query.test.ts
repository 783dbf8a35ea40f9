import { describe, expect, it } from 'vitest'
import { EchoAdapter, EchoService, validated } from './echo.ts'

describe('parseQuery', () => {
  it('gives the limit that applies to the call', () => {
    const adapter = new EchoAdapter({ paginate: { default: 5, max: 10 } })
    const limit = (params?: any) => adapter.parse(params).limit

    expect(limit()).toBe(5)
    expect(limit({ query: { $limit: '7' } })).toBe(7)
    expect(limit({ query: { $limit: 50 } })).toBe(10)
    expect(limit({ query: { $limit: 0 } })).toBe(0)
    expect(limit({ paginate: false })).toBeUndefined()
    expect(limit({ query: validated({ $limit: 50 }) })).toBe(10)
  })

  it('checks a query that no public method has checked', () => {
    expect(() => new EchoAdapter().parse({ query: { a: { $where: 1 } } })).toThrow(
      'Invalid query parameter $where'
    )
  })

  it('lets every operator pass in a query that a schema has checked', () => {
    expect(new EchoAdapter().parse({ query: validated({ a: { $anything: 1 } }) }).where).toEqual({
      kind: 'custom',
      path: ['a'],
      operator: '$anything',
      value: 1
    })
  })

  it('is done once for a call, however often an adapter asks', async () => {
    const converted: unknown[] = []
    const filters = {
      $mine: (value: unknown) => {
        converted.push(value)

        return Number(value)
      }
    }

    class AskingService extends EchoService {
      override async _find(params?: any) {
        return [this.parse(params), this.parse(params)].map((query) => query.filters.$mine)
      }

      override async _patch(_id: unknown, _data: any, params?: any) {
        return this._find(params)
      }
    }

    const service = new AskingService({ filters })

    expect(await service.find({ query: { $mine: '1' } })).toEqual([1, 1])
    expect(await service.patch(1, {}, { query: { $mine: '2', $limit: 1 } })).toEqual([2, 2])
    expect(converted).toEqual(['1', '2'])
  })

  it('sees what the caller has changed in a query since the last call', async () => {
    const adapter = new EchoAdapter()
    const query: any = { a: 1 }
    const field = () => (adapter.parse({ query }).where as any).path[0]

    expect(field()).toBe('a')

    delete query.a
    query.b = 1

    expect(field()).toBe('b')
    expect(await adapter.sanitizeQuery({ query })).toEqual({ b: 1 })
  })

  it('sees the query that an adapter puts in place of its checked one', async () => {
    class TenantService extends EchoService {
      override async _find(params?: any) {
        return this.parse({ ...params, query: { ...params.query, tenant: 1 } }).where as any
      }
    }

    expect(await new TenantService().find({ query: {} })).toMatchObject({ path: ['tenant'], value: 1 })
  })

  it('does not take what another service has checked with its own operators', async () => {
    const other = new EchoService()

    class DelegatingService extends EchoService {
      override async _find(params?: any) {
        return other.parse(params) as any
      }
    }

    const found = new DelegatingService({ operators: ['$like'] }).find({ query: { a: { $like: 'x' } } })

    await expect(found).rejects.toThrow('Invalid query parameter $like')
  })

  it.each<[string, (query: any) => void]>([
    ['is added', (query) => Object.assign(query, { tenant: 2 })],
    ['takes the place of a value', (query) => Object.assign(query, { name: 'Bob' })],
    ['is removed', (query) => delete query.name]
  ])('is an error where a condition %s in the checked query, and not lost', async (_title, change) => {
    class ChangingService extends EchoService {
      override async _find(params?: any) {
        change(params.query)

        return []
      }
    }

    const query = { name: 'Ada' }

    await expect(new ChangingService().find({ query })).rejects.toThrow(TypeError)
    expect(query).toEqual({ name: 'Ada' })
  })

  it('sees what an overridden sanitizeQuery adds', async () => {
    class TenantService extends EchoService {
      override async sanitizeQuery(params?: any) {
        const query = await super.sanitizeQuery(params)

        query.tenant = 1

        return query
      }

      override async _remove(_id: unknown, params?: any) {
        return this.parse(params).where as any
      }
    }

    const service = new TenantService({ multi: true })

    expect(await service.remove(null, { query: {} })).toMatchObject({ path: ['tenant'], value: 1 })
    expect(await service.remove(1)).toMatchObject({ path: ['tenant'], value: 1 })
  })

  it('a change inside a condition is not lost without a word', async () => {
    class AdultService extends EchoService {
      override async _find(params?: any) {
        params.query.age.$gte = 18

        return this.parse(params).where as any
      }
    }

    const query = { age: { $lt: 65 } }
    const found = await new AdultService().find({ query }).catch((error) => error)

    // Either it counts, or it is an error.
    if (!(found instanceof TypeError)) expect(found).toMatchObject({ kind: 'and', conditions: [{}, {}] })

    expect(query).toEqual({ age: { $lt: 65 } })
  })

  it('a change inside a list of conditions is not lost without a word', async () => {
    class TenantService extends EchoService {
      override async _find(params?: any) {
        params.query.$and.push({ tenant: 1 })

        return this.parse(params).where as any
      }

      override async _remove(_id: unknown, params?: any) {
        params.query.tenant.$in.splice(1)

        return this.parse(params).where as any
      }
    }

    const service = new TenantService()
    const found = await service.find({ query: { $and: [{ age: 1 }] } }).catch((error) => error)
    const removed = await service.remove(1, { query: { tenant: { $in: [1, 2] } } }).catch((error) => error)

    // Either it counts, or it is an error.
    if (!(found instanceof TypeError)) expect(found).toMatchObject({ kind: 'and', conditions: [{}, {}] })
    if (!(removed instanceof TypeError)) expect(removed).toMatchObject({ operator: 'in', value: [1] })
  })
})

import * as official from '@feathersjs/adapter-commons'
import { describe, expect, it } from 'vitest'
import { VALIDATED } from '../../src/adapter.ts'
import { parseQuery, toPredicate } from '../../src/query.ts'
import { EchoAdapter, validated } from './echo.ts'

describe('getOptions', () => {
  it('are those of the service', () => {
    const adapter = new EchoAdapter({ multi: true })

    for (const params of [undefined, {}, { query: { multi: false } }]) {
      expect(adapter.getOptions(params)).toBe(adapter.options)
    }
  })

  it('`params.paginate` comes before the service, `params.adapter` before both', () => {
    const adapter = new EchoAdapter({ paginate: { default: 1 } })
    const paginate = (params: any) => adapter.getOptions(params).paginate

    expect(paginate({ paginate: { default: 2 } })).toEqual({ default: 2 })
    expect(paginate({ paginate: false })).toBe(false)
    expect(paginate({ paginate: undefined })).toEqual({ default: 1 })
    expect(paginate({ adapter: { paginate: { default: 3 } } })).toEqual({ default: 3 })
    expect(paginate({ paginate: { default: 2 }, adapter: { paginate: { default: 3 } } })).toEqual({
      default: 3
    })
    expect(paginate({ paginate: { default: 2 }, adapter: { multi: true } })).toEqual({ default: 2 })
  })

  it('`params.adapter` overrides every option, for one call', () => {
    const adapter = new EchoAdapter({ operators: ['$a'] })
    const override = { multi: ['patch'], operators: ['$b'], filters: { $c: true as const }, Model: 'other' }

    expect(adapter.getOptions({ adapter: override })).toEqual({ ...adapter.options, ...override })
    expect(adapter.options).toEqual(new EchoAdapter({ operators: ['$a'] }).options)
  })

  it('options are read at every call', async () => {
    const adapter = new EchoAdapter()

    expect(adapter.allowsMulti('patch')).toBe(false)

    adapter.options.multi = true
    adapter.options.paginate = { default: 1, max: 2 }
    adapter.options.id = '_id'
    adapter.options.operators = ['$like']

    expect(adapter.allowsMulti('patch')).toBe(true)
    expect(adapter.id).toBe('_id')
    expect(await adapter.sanitizeQuery({ query: { $limit: 9, a: { $like: 'x' } } })).toEqual({
      $limit: 2,
      a: { $like: 'x' }
    })
  })
})

describe('allowsMulti', () => {
  const methods = ['find', 'get', 'create', 'update', 'patch', 'remove', 'custom']
  const allowed = (multi: any, params?: any) =>
    methods.filter((method) => new EchoAdapter({ multi }).allowsMulti(method, params))

  it.each([
    [false, ['find']],
    [true, ['find', 'create', 'patch', 'remove', 'custom']],
    [[], ['find']],
    [
      ['create', 'remove'],
      ['find', 'create', 'remove']
    ],
    [
      ['patch', 'custom'],
      ['find', 'patch', 'custom']
    ]
  ])('with %j', (multi, expected) => {
    expect(allowed(multi)).toEqual(expected)
    expect(allowed(!multi, { adapter: { multi } })).toEqual(expected)
  })

  it('allows nothing when an override holds no value', () => {
    expect(allowed(true, { adapter: { multi: undefined } })).not.toContain('patch')
  })
})

describe('sanitizeQuery', () => {
  it('returns a new query in which the names at the top have their types', async () => {
    const query = {
      $limit: '5',
      $skip: '2',
      $sort: { a: '-1' },
      $select: 'a',
      name: { $ne: 'x' },
      $or: [{ b: 1 }]
    }
    const before = structuredClone(query)
    const sanitized = await new EchoAdapter().sanitizeQuery({ query })

    expect(sanitized).toEqual({
      $limit: 5,
      $skip: 2,
      $sort: { a: -1 },
      $select: ['a'],
      name: { $ne: 'x' },
      $or: [{ b: 1 }]
    })
    expect(sanitized).not.toBe(query)
    expect(query).toEqual(before)
  })

  it('spells operators in the way that adapters know', async () => {
    const query = { age: { $ge: 1 }, $or: [{ age: { $le: 5 } }] }

    expect(await new EchoAdapter().sanitizeQuery({ query })).toEqual({
      age: { $gte: 1 },
      $or: [{ age: { $lte: 5 } }]
    })
  })

  it('loses none of two spellings of one operator', async () => {
    const adapter = new EchoAdapter()
    const query = { age: { $lte: 1, $le: 5 }, $or: [{ age: { $ge: 5, $gte: 1 } }] }
    const sanitized = await adapter.sanitizeQuery({ query }).catch((error) => error)

    // Either it is refused, or what adapters read means the same as what was asked.
    if (sanitized.name === 'BadRequest') return

    const matches = toPredicate(parseQuery(sanitized).where)

    expect([0, 1, 3, 5, 9].filter((age) => matches({ age }))).toEqual([])
  })

  it('of nothing is nothing, or the default of the pagination', async () => {
    expect(await new EchoAdapter().sanitizeQuery()).toStrictEqual({})
    expect(await new EchoAdapter().sanitizeQuery({ query: {} })).toStrictEqual({})
    expect(await new EchoAdapter({ paginate: { default: 5 } }).sanitizeQuery()).toEqual({ $limit: 5 })
  })

  it('keeps `$limit` below the maximum that applies to the call', async () => {
    const adapter = new EchoAdapter({ paginate: { default: 5, max: 10 } })
    const limit = async (params: any) => (await adapter.sanitizeQuery(params)).$limit

    expect(await limit({ query: { $limit: 50 } })).toBe(10)
    expect(await limit({ query: { $limit: 0 } })).toBe(0)
    expect(await limit({ query: { $limit: 50 }, paginate: false })).toBe(50)
    expect(await limit({ query: { $limit: 50 }, paginate: { max: 20 } })).toBe(20)
    expect(await limit({ query: { $limit: 50 }, adapter: { paginate: { max: 30 } } })).toBe(30)
  })

  it('takes operators and filters from the options of the call', async () => {
    const adapter = new EchoAdapter()
    const query = { name: { $like: 'a%' }, $populate: '1' }
    const filters = { $populate: Number }

    expect(await adapter.sanitizeQuery({ query, adapter: { operators: ['$like'], filters } })).toEqual({
      name: { $like: 'a%' },
      $populate: 1
    })
    await expect(adapter.sanitizeQuery({ query, adapter: { filters } })).rejects.toMatchObject({
      name: 'BadRequest',
      message: "Invalid query parameter $like: the service does not list it in 'operators'"
    })
  })

  it('keeps a `$not` and a `$nor` where they are allowed', async () => {
    const query = { $not: { a: { $le: 1 } }, $nor: [{ b: 1 }], $or: [{ $not: { c: 1 } }] }

    expect(await new EchoAdapter({ operators: ['$not', '$nor'] }).sanitizeQuery({ query })).toEqual({
      $not: { a: { $lte: 1 } },
      $nor: [{ b: 1 }],
      $or: [{ $not: { c: 1 } }]
    })
  })

  it('a further name without a dollar sign is converted, and one that is undefined stays a condition', async () => {
    const filters = { locale: (value: string) => value.toUpperCase(), name: undefined }
    const query = { locale: 'en', name: 'Ada', age: 36 }

    expect(await new EchoAdapter({ filters }).sanitizeQuery({ query })).toEqual({
      locale: 'EN',
      name: 'Ada',
      age: 36
    })
  })

  it('takes operators and filters that are undefined in the options of the call for none', async () => {
    const adapter = new EchoAdapter({ operators: ['$like'], filters: { $populate: true } })
    const sanitize = (query: object) =>
      adapter.sanitizeQuery({ query, adapter: { operators: undefined, filters: undefined } as any })

    expect(await sanitize({ a: { $ge: 1 }, $sort: { a: 1 } })).toEqual({ a: { $gte: 1 }, $sort: { a: 1 } })
    await expect(sanitize({ a: { $like: 'x' } })).rejects.toMatchObject({ name: 'BadRequest' })
    await expect(sanitize({ $populate: 'x' })).rejects.toMatchObject({ name: 'BadRequest' })
  })

  it('leaves a query that a schema has checked as it is', async () => {
    const query = validated({ $limit: '500', a: { $anything: 1 } })
    const adapter = new EchoAdapter({ paginate: { max: 10 } })

    expect(await adapter.sanitizeQuery({ query })).toBe(query)
  })

  it('takes a mark of Feathers v5 for that of a schema', async () => {
    const query = Object.defineProperty({ a: { $anything: 1 } }, official.VALIDATED, { value: true })

    expect(await new EchoAdapter().sanitizeQuery({ query })).toBe(query)
  })

  it('a query cannot call itself checked by a name', async () => {
    for (const name of ['VALIDATED', VALIDATED.toString(), VALIDATED.description as string]) {
      await expect(
        new EchoAdapter().sanitizeQuery({ query: { [name]: true, a: { $where: 1 } } })
      ).rejects.toMatchObject({ name: 'BadRequest' })
    }
  })

  it('keeps conditions on names that every object has', async () => {
    const query = JSON.parse('{ "__proto__": { "$gt": 1 }, "constructor": "x", "a": 1 }')
    const sanitized = await new EchoAdapter().sanitizeQuery({ query })

    expect(Object.keys(sanitized).sort()).toEqual(['__proto__', 'a', 'constructor'])
    expect(Object.getPrototypeOf(sanitized)).toBe(Object.prototype)
  })

  it('a condition on `__proto__` can be replaced and removed as any other', async () => {
    const name = '__proto__'
    const sanitized = await new EchoAdapter().sanitizeQuery({ query: JSON.parse(`{ "${name}": 1 }`) })

    sanitized[name] = 2
    expect(Object.entries(sanitized)).toEqual([[name, 2]])

    delete sanitized[name]
    expect(Object.keys(sanitized)).toEqual([])
  })

  it('holds nothing that was not checked', async () => {
    const query = Object.defineProperty({ a: 1 }, 'hidden', { value: { $where: '1' } })

    expect(Reflect.ownKeys(await new EchoAdapter().sanitizeQuery({ query }))).toEqual(['a'])
  })
})

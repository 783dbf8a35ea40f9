import { getLimit as officialGetLimit } from '@feathersjs/adapter-commons'
import { describe, expect, it } from 'vitest'
import { getLimit, isPaginated } from '../../src/adapter.ts'
import { createTypeError } from '../../src/utils/developer-error.ts'
import { EchoAdapter } from './echo.ts'

const PAGINATION = 'false, or { default, max, total, cursor }'
const MULTI = 'true, false, or an array of create, patch and remove'

describe('options', () => {
  it('that are left out have the defaults of Feathers v5', () => {
    const adapter = new EchoAdapter()

    expect(adapter.options).toEqual({
      id: 'id',
      events: [],
      paginate: false,
      multi: false,
      filters: {},
      operators: []
    })
    expect(adapter.id).toBe('id')
    expect(adapter.events).toEqual([])
  })

  it('that are undefined are left out', () => {
    const options = {
      id: undefined,
      events: undefined,
      paginate: undefined,
      multi: undefined,
      filters: undefined,
      operators: undefined
    }

    expect(new EchoAdapter(options as any).options).toEqual(new EchoAdapter().options)
  })

  it('are kept as given, those of the adapter too, in an object of their own', () => {
    const given = Object.freeze({
      id: '_id',
      events: ['testing'],
      paginate: { default: 10, max: 50 },
      multi: ['create'],
      operators: ['$like'],
      filters: { $populate: true as const },
      Model: 'people'
    })
    const adapter = new EchoAdapter(given)

    expect(adapter.options).toEqual(given)
    expect(adapter.options).not.toBe(given)
    expect(adapter.id).toBe('_id')
    expect(adapter.events).toEqual(['testing'])
  })

  it.each([
    { paginate: {} },
    { paginate: { default: 0 } },
    { paginate: { default: 10 } },
    { paginate: { max: 10 } },
    { paginate: { default: 10, max: 0 } },
    { paginate: { default: undefined } },
    { multi: true },
    { multi: [] },
    { multi: ['patch', 'remove', 'anything'] }
  ])('%j is valid', (options) => {
    expect(new EchoAdapter(options as any).options).toMatchObject(options)
  })

  it.each([
    [{ id: 5 }, 'id', 'the name of a field', '5'],
    [{ id: null }, 'id', 'the name of a field', 'null'],
    [{ id: '' }, 'id', 'the name of a field', '""'],
    [{ id: ['a', 'b'] }, 'id', 'the name of a field', '["a","b"]'],
    [{ paginate: true }, 'paginate', PAGINATION, 'true'],
    [{ paginate: 10 }, 'paginate', PAGINATION, '10'],
    [{ paginate: null }, 'paginate', PAGINATION, 'null'],
    [{ paginate: { default: '10' } }, 'paginate.default', 'a number of records', '"10"'],
    [{ paginate: { default: 10, max: -1 } }, 'paginate.max', 'a number of records', '-1'],
    [{ paginate: { default: 1.5 } }, 'paginate.default', 'a number of records', '1.5'],
    [{ multi: 'create' }, 'multi', MULTI, '"create"'],
    [{ multi: null }, 'multi', MULTI, 'null'],
    [{ multi: [true] }, 'multi', MULTI, 'array'],
    [{ multi: ['create', 'update'] }, 'multi', MULTI, '["create","update"]'],
    [{ operators: '$like' }, 'operators', 'an array of names', '"$like"'],
    [{ operators: { $like: true } }, 'operators', 'an array of names', 'object']
  ])('can not be %j', (options, name, expected, got) => {
    expect(() => new EchoAdapter(options as any)).toThrow(
      createTypeError(
        'ALULA_INVALID_OPTION',
        `Invalid option '${name}' of EchoAdapter: expected ${expected}, got ${got}`
      )
    )
  })

  it('of a page have names that are known', () => {
    expect(() => new EchoAdapter({ paginate: { defualt: 10 } } as any)).toThrow(
      createTypeError(
        'ALULA_UNKNOWN_OPTION',
        "Unknown option 'paginate.defualt' of EchoAdapter. Did you mean 'default'?"
      )
    )
  })
})

describe('getLimit', () => {
  const limits = [undefined, 0, 1, 3, 100, '0', '1', '3', '100', -1, '-1', 'x', '', '2x', Number.NaN]
  const paginations = [
    { default: 2 },
    { default: 2, max: 3 },
    { default: 5, max: 3 },
    { default: 2, max: 0 },
    { default: 3, max: 3 }
  ]

  it('agrees with Feathers v5 wherever there is a default', () => {
    for (const paginate of paginations) {
      for (const limit of [...limits, null]) {
        expect(getLimit(limit, paginate), `${limit}, ${JSON.stringify(paginate)}`).toBe(
          officialGetLimit(limit as any, paginate)
        )
      }
    }
  })

  it('agrees with Feathers v5 without pagination: the limit is what was asked for', () => {
    for (const paginate of [undefined, false as const, {}]) {
      for (const limit of limits) {
        expect(getLimit(limit, paginate)).toBe(officialGetLimit(limit as any, paginate as any))
      }
    }
  })

  it('agrees with Feathers v5 about a limit below a maximum that stands alone', () => {
    for (const limit of limits.filter((limit) => Number.parseInt(limit as string, 10) >= 0)) {
      expect(getLimit(limit, { max: 3 })).toBe(officialGetLimit(limit as any, { max: 3 } as any))
    }
  })

  it('without a default and without a limit is the maximum, where Feathers v5 gives nothing', () => {
    expect(officialGetLimit(undefined, { max: 3 } as any)).toBe(0)
    expect(getLimit(undefined, { max: 3 })).toBe(3)
  })

  it('takes a default or a maximum of 0 at its word', () => {
    expect(getLimit(undefined, { default: 0 })).toBe(0)
    expect(getLimit(7, { default: 0 })).toBe(7)
    expect(getLimit(7, { default: 0, max: 5 })).toBe(5)
    expect(getLimit(7, { max: 0 })).toBe(0)
  })
})

it('pages come with a default, not with a maximum alone', () => {
  expect(isPaginated({ default: 10 })).toBe(true)
  expect(isPaginated({ default: 0, max: 5 })).toBe(true)

  for (const paginate of [undefined, false as const, {}, { max: 5 }])
    expect(isPaginated(paginate)).toBe(false)
})

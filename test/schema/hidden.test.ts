import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { FILTERS } from '../../src/adapter.ts'
import { alula, createContext } from '../../src/index.ts'
import { errorHandler, koa, rest } from '../../src/koa.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { serve } from '../support/server.ts'

const Person = z.object({
  id: z.int(),
  name: z.string(),
  address: z.object({ city: z.string(), code: z.string() }).optional(),
  account: z.object({ iban: z.string(), bank: z.string() }).optional()
})

async function fail(query: object, settings: object = {}): Promise<unknown> {
  const app: any = alula()

  app.use('people', memory(), {
    schema: schema(Person, { hidden: ['account', 'address.code'], ...settings } as any)
  })

  return await app
    .service('people')
    .find({ provider: 'rest', query })
    .then(
      () => 'it succeeded',
      ({ errors }: any) => Object.keys(errors)
    )
}

it.each([
  [{ account: null }, ['account']],
  [{ 'account.iban': 'x' }, ['account.iban']],
  [{ 'address.code': 'x' }, ['address.code']],
  [{ $sort: { 'account.iban': 1 } }, ['account.iban']],
  [{ $sort: { 'address.code': 1 } }, ['address.code']],
  [{ $select: ['account'] }, ['account']],
  [{ $select: ['account.bank'] }, ['account.bank']],
  [{ $select: ['address.code'] }, ['address.code']]
])('what is hidden cannot be asked for, nor what is in it: %j', async (query, names) => {
  expect(await fail(query)).toEqual(names)
})

it.each([
  [{ 'address.city': 'x' }],
  [{ $sort: { 'address.city': 1, name: 1 } }],
  [{ $select: ['address', 'address.city', 'name'] }]
])('what stands beside it can: %j', async (query) => {
  expect(await fail(query)).toBe('it succeeded')
})

const Nested = z.object({
  id: z.int(),
  name: z.string(),
  place: z.object({ city: z.string(), code: z.string() }).nullish(),
  lines: z.array(z.object({ cost: z.number() })),
  pair: z.tuple([z.string(), z.object({ cost: z.number() })]),
  either: z.union([z.string(), z.object({ pin: z.string() })]),
  map: z.record(z.string(), z.object({ pin: z.string() })),
  any: z.any(),
  grid: z.array(z.array(z.object({ cost: z.number() })))
})

const use = (path: string) =>
  alula().use('nested', memory(), { schema: schema(Nested, { hidden: [path as never] }) })

it.each(['place.zip', 'name.x', 'lines.zzz', 'lines..cost', 'lines.0.cost', 'pair.1.cost', 'either.pni'])(
  'at a path that leads nowhere refuses the start: %s',
  (path) => {
    expect(() => use(path)).toThrow(
      `The record of schema() has nothing at '${path}', which 'hidden' names. A path has no numbers for places in a list`
    )
  }
)

it.each([
  'place',
  'place.code',
  'lines.cost',
  'pair.cost',
  'either.pin',
  'map.*.pin',
  'any.x.y',
  'grid.cost'
])('at a path that leads somewhere does not: %s', (path) => {
  expect(() => use(path)).not.toThrow()
})

it('cannot be found out by the order of what it is in', async () => {
  const app: any = alula()
  const inner = z.object({ open: z.string(), pin: z.string() })

  app.use('people', memory(), {
    schema: schema(
      z.object({
        id: z.int(),
        either: z.union([z.string(), inner]),
        any: z.any(),
        changed: inner.transform((value) => value),
        list: z.array(inner)
      }),
      { hidden: ['either.pin', 'any.pin', 'changed.pin', 'list.pin'] }
    )
  })

  for (const field of ['either', 'any', 'changed', 'list']) {
    for (const query of [{ $sort: { [field]: 1 } }, { [field]: { $gt: { pin: 'a' } } }, { [field]: 'a' }]) {
      await expect(app.service('people').find({ provider: 'rest', query })).rejects.toMatchObject({
        code: 400,
        errors: { [field]: expect.any(String) }
      })
    }
  }
})

it.each([
  ['$or[0][account.iban][$gt]=x', FILTERS, ['account.iban']],
  ['$and[0][account]=x', FILTERS, ['account']],
  ['$sort[address.code]=1', FILTERS, ['address.code']],
  ['$select[0]=account', FILTERS, ['account']],
  ['$sort[address.code]=1', { $sort: (value: unknown) => value }, ['address.code']],
  ['$sort=-address.code', { $sort: (value: string) => ({ [value.slice(1)]: -1 }) }, ['address.code']],
  ['$select[0]=name', { $select: (value: string[]) => [...value, 'account'] }, undefined],
  ['$select=name,id', { $select: (value: string) => value.split(',') }, undefined],
  ['$not[account]=x', { $not: true }, ['account']],
  ['account=x', { account: undefined }, ['account']],
  ['$populate=account', { ...FILTERS, $populate: true }, undefined]
])('cannot be opened by the option `filters` of the adapter: %s', async (search, filters, names) => {
  const app: any = koa(alula())

  app.use(errorHandler())
  app.configure(rest({ logger: false }))
  app.use('people', memory({ filters } as any), {
    schema: schema(Person, { hidden: ['account', 'address.code'] })
  })

  const response = await fetch(`${await serve(app)}/people?${search}`)
  const { errors } = (await response.json()) as { errors?: object }

  expect(errors && Object.keys(errors)).toEqual(names)
})

it('cannot be opened by the settings of queries', () => {
  for (const query of [{ fields: ['account.iban'] }, { sort: ['address.code'] }]) {
    expect(() =>
      alula().use('people', memory(), {
        schema: schema(Person, { hidden: ['account', 'address.code'], query } as any)
      })
    ).toThrow(expect.objectContaining({ code: 'ALULA_INVALID_SCHEMA' }))
  }
})

describe('a schema for queries', () => {
  const Loose = z.looseObject({ name: z.string().optional() })
  const Named = z.looseObject({ 'account.iban': z.string(), $sort: z.object({ 'address.code': z.string() }) })

  async function ask(query: object, search: string): Promise<unknown> {
    const app: any = koa(alula())

    app.use(errorHandler())
    app.configure(rest({ logger: false }))
    app.use('people', memory(), {
      schema: schema(Person, { hidden: ['account', 'address.code'], query: query as any })
    })

    const response = await fetch(`${await serve(app)}/people?${search}`)
    const { errors } = (await response.json()) as { errors?: object }

    return errors ? Object.keys(errors) : response.status
  }

  it.each([
    ['account.iban=x', ['account.iban']],
    ['account=x', ['account']],
    ['account.iban[$gt]=x', ['account.iban']],
    ['$sort[account.iban]=1', ['account.iban']],
    ['$or[0][name]=x&$or[1][account.iban]=x', ['account.iban']],
    ['$and[0][$or][0][address.code]=x', ['address.code']],
    ['$not[address.code]=x', ['address.code']],
    ['address[code]=x', ['address']]
  ])('that takes any name does not open hidden fields: %s', async (search, names) => {
    expect(await ask(Loose, search)).toEqual(names)
    expect(await ask({ type: 'object', additionalProperties: true }, search)).toEqual(names)
  })

  it.each(['address.city=x', '$sort[name]=1', '$or[0][name]=x', '$select[0]=account'])(
    'opens what is not hidden: %s',
    async (search) => {
      expect(await ask(Loose, search)).toBe(200)
    }
  )

  it('opens the hidden fields that it names', async () => {
    expect(await ask(Named, 'account.iban=x&$sort[address.code]=1')).toBe(200)
    expect(await ask(Named, 'account.iban=x&$sort[address.code]=1&account.bank=x')).toEqual(['account.bank'])
  })
})

it('a path through fields without a name holds where nothing is declared', async () => {
  const Vault = z.object({
    id: z.int(),
    keys: z.record(z.string(), z.object({ pin: z.string(), label: z.string() }))
  })
  const record = { id: 1, keys: { a: { pin: '1234', label: 'x' } } }
  const shown = { id: 1, keys: { a: { label: 'x' } } }
  const app: any = alula()

  app.use(
    'vaults',
    { every: async () => ({ all: [record], first: record }) },
    { methods: ['every'], schema: schema(Vault, { hidden: ['keys.*.pin'] }) }
  )
  const context = await app
    .service('vaults')
    .every({}, { provider: 'rest' }, createContext(app.service('vaults'), 'every'))

  expect(context.dispatch).toEqual({ all: [shown], first: shown })
})

it('may be all fields without a name', async () => {
  const app: any = alula()
  const declared = z.object({
    id: z.int(),
    map: z.record(z.string(), z.string()),
    rest: z.object({ open: z.string() }).catchall(z.object({ name: z.string() }))
  })

  app.use('notes', memory(), {
    schema: schema(declared, {
      hidden: ['map.*', 'rest.*', 'rest.deep.name'],
      computed: { size: { from: ['map'], many: (notes: any) => notes.map(() => 1) } }
    })
  })

  const { id } = await app.service('notes').create({
    id: 1,
    map: { a: 'PIN' },
    rest: { open: 'o', deep: { name: 'PIN' }, other: { name: 'PIN' } }
  })
  const client = app.asClient({ provider: 'rest' })

  expect(await client.service('notes').get(id)).toEqual({ id: 1, map: {}, rest: { open: 'o' }, size: 1 })
})

import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { alula, createContext } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { toPageData } from '../../src/openapi/page-data.ts'
import { toOpenApi } from '../../src/openapi.ts'
import { schema } from '../../src/schema.ts'

const NAMES = Array.from({ length: 30 }, (_, index) => `T${index}`)

/** Many times what was measured, in milliseconds of the processor; to list each way through the types would take years. */
const MAX_COST = 8000

/** Types each of which refers to every other one, as the definitions of a JSON Schema. */
function toJsonSchema(): any {
  const toType = () => ({
    type: 'object',
    properties: {
      id: { type: 'integer' },
      secret: { type: 'string' },
      ...Object.fromEntries(NAMES.map((name) => [name, { $ref: `#/$defs/${name}` }]))
    }
  })

  return { ...toType(), $defs: Object.fromEntries(NAMES.map((name) => [name, toType()])) }
}

/** The same with getters. */
function toZod(): any {
  const types: Record<string, z.ZodType> = {}

  for (const name of NAMES) {
    const shape: Record<string, z.ZodType> = { id: z.int(), secret: z.string().optional() }

    for (const other of NAMES) {
      Object.defineProperty(shape, other, { enumerable: true, get: () => types[other]?.optional() })
    }

    types[name] = z.object(shape)
  }

  return types.T0
}

describe.each([
  ['a JSON Schema', toJsonSchema],
  ['Zod', toZod]
])('30 types of %s that refer to each other', (_, toRecord) => {
  it.each([
    ['and nothing hidden', {}],
    ['and a field hidden in all of them', { hidden: ['secret', 'T1.secret'] }]
  ])('start, answer calls and are described in little time, %s', async (_, settings) => {
    const start = process.cpuUsage()
    const app = alula()

    app.use('things', memory(), { schema: schema(toRecord(), settings) })
    await app.setup()

    const things = app.service('things')
    const params = { provider: 'rest', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    const created = await things.create({ T1: { id: '7', T2: { id: '8', secret: 'x' } } } as any, params)

    expect(created).toMatchObject({ id: 0, T1: { id: 7, T2: { id: 8 } } })
    expect(await things.find({ provider: 'rest', query: { 'T1.id': '7' } })).toHaveLength(1)

    describeAll(app)

    expect(toCost(start)).toBeLessThan(MAX_COST)
  })
})

describe('types that refer to each other', () => {
  it('start in little time as schemas of an instance of Ajv', async () => {
    const start = process.cpuUsage()
    const app = alula()
    const ajv = new Ajv({ strict: false })
    const references = Object.fromEntries(NAMES.map((name) => [name, { $ref: name }]))
    const properties = { id: { type: 'integer' }, secret: { type: 'string' }, ...references }

    for (const name of NAMES) ajv.addSchema({ $id: name, type: 'object', properties })

    app.use('things', memory(), {
      schema: schema({ record: { type: 'object', properties }, hidden: ['T1.secret'], ajv: ajv as any })
    })
    await app.setup()

    const created = await app.service('things').create(toThing(), { provider: 'rest' })

    expect(created).toMatchObject({ T1: { T2: { id: 1 } } })
    const things: any = app.service('things')
    const { dispatch } = await things.get(0, { provider: 'rest' }, createContext(things, 'get'))

    expect(dispatch).toEqual({ id: 0, T1: { T2: { id: 1, secret: 'x' } } })

    describeAll(app)

    expect(toCost(start)).toBeLessThan(MAX_COST)
  })

  it('start in little time as choices between choices', async () => {
    const start = process.cpuUsage()
    const app = alula()
    const toChoice = (level: number) => ({
      anyOf: [{ $ref: `#/$defs/A${level + 1}` }, { $ref: `#/$defs/B${level + 1}` }]
    })
    const levels = NAMES.flatMap((_, level) => [
      [`A${level}`, toChoice(level)],
      [`B${level}`, toChoice(level)]
    ])
    const $defs = {
      ...Object.fromEntries(levels),
      A30: { type: 'object', properties: { name: { type: 'string' } } },
      B30: { type: 'object', properties: { size: { type: 'integer' } } }
    }
    const record = {
      type: 'object',
      properties: { id: { type: 'integer' }, value: { $ref: '#/$defs/A0' } },
      $defs
    }

    app.use('things', memory(), { schema: schema({ record }) })
    await app.setup()
    await app.service('things').create({ value: { name: 'Ada' } } as any)

    expect(await app.service('things').find({ provider: 'rest', query: { 'value.size': '7' } })).toEqual([])

    describeAll(app)

    expect(toCost(start)).toBeLessThan(MAX_COST)
  })

  it('have fields on deeper levels that queries may name once the schema does', async () => {
    const app = alula()
    const path = 'T1.T2.T3.T4.T5.id'
    const settings = { query: { fields: [path] } }

    app.use('all', memory(), { schema: schema(toJsonSchema()) })
    app.use('named', memory(), { schema: schema(toJsonSchema(), settings) })

    const params = { provider: 'rest', query: { [path]: '7' } }

    await expect(app.service('all').find(params)).rejects.toThrow('is not a field that can be queried')
    expect(await app.service('named').find(params)).toEqual([])
  })
})

const toThing = (): any => ({ T1: { T2: { id: 1, secret: 'x' }, secret: 'x' } })

function toCost(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start)

  return (user + system) / 1000
}

function describeAll(app: any): void {
  toOpenApi(app)
  toPageData(app)
}

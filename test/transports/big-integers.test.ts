import { expect, it } from 'vitest'
import { z } from 'zod'
import type { Application } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { many, schema } from '../../src/schema.ts'
import { describeRemoteTransports } from '../support/transports.ts'

const BIG = 2n ** 60n

function configure(app: Application): void {
  app.use('sizes', memory({ store: { 0: { id: 0, size: 7n, big: BIG, list: [{ n: -BIG }] } } }))
  app.use('own', { find: async () => ({ n: 9007199254740991n, more: [9007199254740992n] }) })
}

const SIZES = { id: 0, size: 7, big: String(BIG), list: [{ n: String(-BIG) }] }

describeRemoteTransports('a bigint in a result', (open) => {
  it('is a number, and beyond 2^53 its string', async () => {
    const client = await open(configure)

    expect(await client.call('get', 'sizes', { id: 0 })).toEqual(SIZES)
    expect(await client.call('find', 'own')).toEqual({ n: 9007199254740991, more: ['9007199254740992'] })
    expect(await client.call('find', 'sizes', { query: { big: String(BIG) } })).toEqual([SIZES])
    expect(await client.call('find', 'sizes', { query: { big: { $gt: String(BIG) } } })).toEqual([])
  })

  it('is so in a record that another one includes', async () => {
    const client = await open((app: any) => {
      configure(app)
      app.use('things', memory({ store: { 0: { id: 0 } } }), {
        schema: schema(z.object({ id: z.int() }), { relations: { sizes: many('sizes', { to: 'id' }) } })
      })
    })

    expect(await client.call('get', 'things', { id: 0, query: { $include: ['sizes'] } })).toEqual({
      ...{ id: 0, sizes: [SIZES] }
    })
  })
})

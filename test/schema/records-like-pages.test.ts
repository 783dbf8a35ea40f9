// A record may have the fields `data`, `limit` and `skip`, which pages have: only `find` returns pages.
import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone, owner } from '../../src/access.ts'
import { protect } from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { toListener } from '../../src/node.ts'
import { one, schema } from '../../src/schema.ts'
import { createNotes } from '../access/support/notes.ts'
import { listen } from '../support/server.ts'

async function start(app: any): Promise<(path: string, body?: object) => Promise<any>> {
  await app.setup()
  const url = await listen(createServer(toListener(app)))

  return async (path, body) => {
    const response = await fetch(url + path, {
      ...(body && {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body)
      })
    })

    return await response.json()
  }
}

const Chart = z.object({
  id: z.int(),
  data: z.array(z.string()),
  limit: z.int(),
  skip: z.int(),
  secret: z.string()
})
const CHART = { data: ['hidden!'], limit: 1, skip: 2, secret: 'S3CRET' }

describe('a record that has the fields of a page', () => {
  it('keeps its hidden list, and does not lose its id, in get, create and events', async () => {
    const app: any = alula()
    const events: unknown[] = []

    app.use('charts', memory({ startId: 1 }), { schema: schema(Chart, { hidden: ['data', 'secret'] }) })
    app.service('charts').on('created', (_: unknown, { dispatch }: any) => events.push(dispatch))
    const call = await start(app)

    expect(await call('/charts')).toEqual([])
    const created = await call('/charts', CHART)

    expect(await call('/charts')).toEqual([{ limit: 1, skip: 2, id: 1 }])
    expect(created).toEqual({ limit: 1, skip: 2, id: 1 })
    expect(await call('/charts/1')).toEqual({ limit: 1, skip: 2, id: 1 })
    expect(events).toEqual([{ limit: 1, skip: 2, id: 1 }])
  })

  it.each(['schema', 'protect'])(
    'leaves without hidden fields in results of other services (%s)',
    async (by) => {
      const app: any = alula()

      const Listed = Chart.extend({ data: z.array(z.object({ x: z.int() })) })
      const store = { 1: { id: 1, ...CHART, data: [{ x: 1 }] } }

      app.use(
        'charts',
        memory({ store }),
        by === 'schema' ? { schema: schema(Listed, { hidden: ['secret'] }) } : {}
      )
      if (by === 'protect') app.service('charts').hooks({ after: { all: [protect('secret')] } })
      app.use('dashboard', { find: async () => ({ chart: await app.service('charts').get(1) }) })
      const call = await start(app)

      expect(JSON.stringify(await call('/dashboard'))).not.toContain('S3CRET')
    }
  )

  it('is not shown to a user whom the rule of get does not let through, by a service without an adapter', async () => {
    const store: any = { 2: { id: 2, ownerId: 2, data: [], limit: 10, skip: 0, text: 'of grace' } }
    const { notes, ada } = await createNotes(
      { all: owner('ownerId') },
      { find: async () => [], get: async (id: number) => store[id] },
      { methods: ['find', 'get'] }
    )

    await expect(notes.get(2, ada)).rejects.toMatchObject({ code: 404 })
  })

  it('has its relations and computed fields, which are not made of what a client wrote into its list', async () => {
    const Account = z.object({ id: z.int(), iban: z.string() })
    const Row = z.object({ accountId: z.int().optional() })
    const app: any = alula()

    app.use('accounts', memory({ store: { 1: { id: 1, iban: 'mine' }, 2: { id: 2, iban: 'of another' } } }), {
      schema: schema(Account),
      access: access({ find: anyone }),
      methods: []
    })
    app.use('charts', memory({ startId: 1 }), {
      schema: schema(
        z.object({ id: z.int(), data: z.array(Row), limit: z.int(), skip: z.int(), accountId: z.int() }),
        {
          server: { accountId: () => 1 }, // clients cannot set it
          relations: { account: one('accounts', { from: 'accountId' }) }
        }
      )
    })
    const call = await start(app)

    await call('/charts', { data: [{ accountId: 2 }], limit: 1, skip: 0 })
    const chart = await call('/charts/1?$include=account')

    expect(JSON.stringify(chart)).not.toContain('of another')
    expect(chart).toMatchObject({ id: 1, account: { iban: 'mine' }, data: [{ accountId: 2 }] })
  })
})

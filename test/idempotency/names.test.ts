// A repeated patch of a record that its id alone does not name, or that the path names by another field.
import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { access } from '../../src/access.ts'
import { createHandler } from '../../src/fetch.ts'
import { idempotency } from '../../src/idempotency.ts'
import { alula } from '../../src/index.ts'
import { kysely } from '../../src/kysely.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { createTable, describeDatabases } from '../support/sql.ts'

async function toPatch(app: any) {
  await app.setup()

  const handle = createHandler(app, { logger: false })

  return (path: string, data: object) => {
    const key = randomUUID()

    return async () => {
      const response = await handle(
        new Request(`http://localhost/${path}`, {
          method: 'PATCH',
          headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
          body: JSON.stringify(data)
        })
      )

      return [response.status, await response.json()]
    }
  }
}

it('a repetition that is refused names the record as the path does: its id may be hidden', async () => {
  const app: any = alula()

  app.configure(idempotency())
  app.use('notes', memory({ startId: 7001 }), {
    by: 'slug',
    schema: schema(z.object({ id: z.int(), slug: z.string(), owner: z.string(), text: z.string() }), {
      hidden: ['id']
    }),
    access: access({ all: () => ({ owner: 'ada' }) })
  })

  const patch = await toPatch(app)
  const notes = app.service('notes')

  for (const slug of ['given', 'gone']) await notes.create({ slug, owner: 'ada', text: 'a' })

  const sends = ['given', 'gone'].map((slug) => patch(`notes/${slug}`, { text: 'b' }))

  for (const send of sends) expect(await send()).toMatchObject([200, { text: 'b' }])
  for (const send of sends) expect(await send()).toMatchObject([200, { text: 'b' }])
  await notes.patch(7001, { owner: 'bob' })
  await notes.remove(7002)
  expect(await sends[0]?.()).toMatchObject([404, { message: "No record found for id 'given'" }])
  expect(await sends[1]?.()).toMatchObject([404, { message: "No record found for id 'gone'" }])
})

describeDatabases('a record whose key has two columns', (database) => {
  it('is repeated: the query names it', async () => {
    const db = await createTable(
      database,
      'alula_key_parts',
      'ord integer not null, part integer not null, amount integer not null, primary key (ord, part)'
    )
    const app: any = alula()

    await db
      .insertInto('alula_key_parts')
      .values([7, 8].map((part) => ({ ord: 1, part, amount: 1 })))
      .execute()
    app.configure(idempotency())
    app.use('parts', kysely({ Model: db, name: 'alula_key_parts', id: 'ord' }), {
      schema: schema(z.object({ ord: z.int(), part: z.int(), amount: z.int() })),
      access: access({ all: () => ({ amount: { $lt: 100 } }) })
    })

    const patch = await toPatch(app)
    const send = patch('parts/1?part=7', { amount: 9 })
    const response = [200, { ord: 1, part: 7, amount: 9 }]

    expect(await send()).toEqual(response)
    expect(await send()).toEqual(response)
  })
})

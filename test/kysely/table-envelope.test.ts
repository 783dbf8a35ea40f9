import { expect, it } from 'vitest'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { kysely, table } from '../../src/kysely.ts'
import { createTable, describeDatabases, SQLITE } from '../support/sql.ts'

const NAME = 'alula_enveloped'

describeDatabases('the envelope of a table', (database) => {
  const { countedId, text } = database

  // Before that, no column is known.
  it.each(['after', 'before'])('is around requests and responses %s the set-up', async (when) => {
    const Model = await createTable(database, NAME, `id ${countedId}, title ${text} not null`)
    const app = alula()
    const handle = createHandler(app, { logger: false })
    const send = async (body: object) => {
      const headers = { 'Content-Type': 'application/json' }
      const response = await handle(
        new Request('http://localhost/notes', { method: 'POST', body: JSON.stringify(body), headers })
      )

      return await response.json()
    }

    app.use('notes', kysely({ Model, name: NAME, multi: true }), {
      schema: table({ envelope: { one: 'note', many: 'notes', request: true } })
    })
    if (when === 'after') await app.setup()

    expect(await send({ note: { title: 'a' } })).toEqual({ note: { id: 1, title: 'a' } })
    expect(await send({ notes: [{ title: 'b' }, {}] })).toMatchObject({
      code: 400,
      errors: { 'notes.1.title': 'is required' }
    })
    expect(await send({ title: 'b' })).toMatchObject({ code: 400, errors: { note: expect.any(String) } })
    expect(await (await handle(new Request('http://localhost/notes'))).json()).toEqual({
      notes: [{ id: 1, title: 'a' }]
    })
  })
})

it('is refused when the application is set up', async () => {
  const Model = await createTable(SQLITE, NAME, 'id integer primary key')
  const app = alula()

  app.use('notes', kysely({ Model, name: NAME }), { schema: table({ envelope: { one: 'a', many: 'a' } }) })

  await expect(app.setup()).rejects.toThrow("'envelope' of schema() has the name 'a' twice")
})

it('has the statuses that its settings name', async () => {
  const Model = await createTable(SQLITE, NAME, 'id integer primary key, title text')
  const app = alula()
  const handle = createHandler(app, { logger: false })

  app.use('notes', kysely({ Model, name: NAME }), { schema: table({ status: { remove: 204 } }) })

  const note = await app.service('notes').create({ title: 'a' })
  const response = await handle(new Request(`http://localhost/notes/${note.id}`, { method: 'DELETE' }))

  expect(response.status).toBe(204)
  expect(await response.text()).toBe('')
})

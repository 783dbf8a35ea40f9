// Records of a table that hooks put where its schema names no fields.
import { afterEach, expect, it, vi } from 'vitest'
import { callService, getResponse } from '../../src/core/call.ts'
import { alula } from '../../src/index.ts'
import { kysely, table } from '../../src/kysely.ts'
import { createTable, SQLITE } from '../support/sql.ts'

const WEB = { provider: 'rest', query: {} }
const COLUMNS = 'id integer primary key, title text not null, secret text, more json'

afterEach(() => vi.unstubAllEnvs())

it.each(['production', 'development'])('are without hidden fields in %s', async (mode) => {
  vi.stubEnv('NODE_ENV', mode)

  const db = await createTable(SQLITE, 'alula_kept', COLUMNS)
  const app: any = alula()

  app.use('open', kysely({ Model: db, name: 'alula_kept' }), {
    schema: table({ hidden: ['secret'], extra: 'keep' })
  })
  app.use('json', kysely({ Model: db, name: 'alula_kept' }), { schema: table({ hidden: ['secret'] }) })
  await app.service('open').create({ title: 'a', secret: 's' })

  for (const [path, name] of [
    ['open', 'original'],
    ['json', 'more']
  ] as const) {
    app.service(path).hooks({
      after: {
        get: [
          (context: any) => {
            context.result = { ...context.result, [name]: context.result }
          }
        ]
      }
    })
    const shown = { id: 1, title: 'a', more: null }

    const context = await callService(app.service(path), { method: 'get', id: 1, params: WEB } as any)

    expect(getResponse(context)).toEqual({ ...shown, [name]: shown })
  }
})

it('are without hidden fields where the innermost hook has run before the table was read', async () => {
  const Model = await createTable(SQLITE, 'alula_kept', COLUMNS)
  const declared: any = table({ hidden: ['secret'] })
  const app: any = alula()

  app.use('notes', kysely({ Model, name: 'alula_kept' }), { schema: declared })
  app.use('open', kysely({ Model, name: 'alula_kept' }), { schema: table({ extra: 'keep' }) })

  const innermost = declared.innermost('get')
  const note = { id: 1, title: 'a', secret: 's', more: null }

  await innermost({ method: 'get', result: note }, async () => undefined)
  await app.setup()
  await innermost({ method: 'get', result: note }, async () => undefined)
  await app.service('open').create({ title: 'b' })
  app.service('open').hooks({
    after: {
      get: [
        (context: any) => {
          context.result = { ...context.result, note }
        }
      ]
    }
  })

  const context = await callService(app.service('open'), { method: 'get', id: 1, params: WEB } as any)

  expect(getResponse(context)).toMatchObject({ title: 'b', note: { id: 1, title: 'a', more: null } })
  expect(getResponse(context)).not.toHaveProperty('note.secret')
})

import { expect, it } from 'vitest'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { kysely, table } from '../../src/kysely.ts'
import { toOpenApi } from '../../src/openapi/document.ts'
import { toFormFields } from '../../src/openapi/form-fields.ts'
import { createTable, describeDatabases, MARIADB, POSTGRES } from '../support/sql.ts'

const NAME = 'alula_limited'

describeDatabases(
  'the limits of columns',
  (database) => {
    const COLUMNS = `id ${database.countedId}, name varchar(3), code char(2), small smallint, price numeric(5, 2),
      rate numeric(2, 2), large bigint`

    it('are in the document, and in the forms of the page', async () => {
      const db = await createTable(database, NAME, COLUMNS)
      const app = alula()

      app.use('items', kysely({ Model: db, name: NAME }), { schema: table() })
      await app.setup()

      const { ItemCreate, Item } = (toOpenApi(app) as any).components.schemas

      expect(ItemCreate.properties).toMatchObject({
        name: { type: ['string', 'null'], maxLength: 3 },
        code: { maxLength: 2 },
        small: { minimum: -32768, maximum: 32767 },
        price: { type: ['string', 'number', 'null'], exclusiveMaximum: 1000, exclusiveMinimum: -1000 },
        rate: { exclusiveMaximum: 1 }
      })
      expect(Item.properties.name).toEqual({ type: ['string', 'null'] })
      expect(toFormFields(ItemCreate)?.map(({ path, kind }) => [path, kind])).toEqual([
        ['name', 'string'],
        ['code', 'string'],
        ['small', 'integer'],
        // Numbers that a form would round are strings in it.
        ['price', 'string'],
        ['rate', 'string'],
        ['large', 'string']
      ])
    })

    it('are those of types that are read as text, too', async () => {
      const type = database.name === 'MariaDB' ? 'inet6' : 'inet'
      const db = await createTable(database, NAME, `id ${database.countedId}, address ${type}`)
      const service: any = kysely({ Model: db, name: NAME })

      for (const address of ['x', '1', 1, 1.5, true, false]) {
        await expect(service.create({ address }), String(address)).rejects.toMatchObject({
          code: 400,
          errors: { address: expect.any(String) }
        })
      }

      expect(await service.create({ address: '::1' })).toMatchObject({ address: '::1' })
    })

    it.each([false, true])('are a 400 that names the field; with a schema: %s', async (withSchema) => {
      const db = await createTable(database, NAME, COLUMNS)
      const app = alula()

      app.use('items', kysely({ Model: db, name: NAME }), withSchema ? { schema: table() } : {})
      await app.setup()

      const handle = createHandler(app)
      const create = async (data: object) => {
        const response = await handle(
          new Request('http://localhost/items', {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(data)
          })
        )
        const { errors } = (await response.json()) as any

        return [response.status, ...Object.keys(errors ?? {})]
      }

      for (const [field, good, bad] of [
        ['name', ['', 'abc', '\u{1F426}\u{1F426}\u{1F426}'], ['abcd', '\u{1F426}\u{1F426}\u{1F426}a']],
        ['code', ['ab'], ['abc']],
        ['small', [-32768, 32767], [-32769, 32768, 2 ** 40]],
        ['price', ['999.99', -999.99, '0', 0, 5e-7], ['1000', '-1000.00', 1000, 1e21, 1e300, '99999']],
        ['rate', ['0.99', 0.5, '-0.10'], ['1.00', 1]],
        ['large', ['9223372036854775807', 5], ['9223372036854775808', 1e300]]
      ] as const) {
        for (const value of good) expect([value, await create({ [field]: value })]).toEqual([value, [201]])
        for (const value of bad)
          expect([value, await create({ [field]: value })]).toEqual([value, [400, field]])
      }
    })
  },
  [POSTGRES, MARIADB]
)

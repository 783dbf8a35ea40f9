import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { kysely, table } from '../../src/kysely.ts'
import { toOpenApi } from '../../src/openapi/document.ts'
import { toFormFields } from '../../src/openapi/form-fields.ts'
import { createTable, describeDatabases, SQLITE } from '../support/sql.ts'

const ALL = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
const BYTES = [
  ALL,
  Buffer.of(),
  Buffer.of(0),
  Buffer.from('a'),
  Buffer.of(0xfb, 0xff, 0xfe),
  Buffer.from('null')
]

describeDatabases('bytes', (database) => {
  const { name, countedId } = database
  const type = { SQLite: 'blob', PostgreSQL: 'bytea', MariaDB: 'varbinary(300)' }[name]

  async function open(withSchema: boolean) {
    const db = await createTable(database, 'alula_bytes', `id ${countedId}, picture ${type}`)
    const app = alula()

    app.use(
      'notes',
      kysely({ Model: db, name: 'alula_bytes', multi: true }),
      withSchema ? { schema: table() } : {}
    )
    await app.setup()

    const handle = createHandler(app)
    const call = async (method: string, path: string, body?: unknown) => {
      const response = await handle(
        new Request(`http://localhost/notes${path}`, {
          method,
          headers: { 'content-type': 'application/json' },
          ...(body !== undefined && { body: JSON.stringify(body) })
        })
      )

      return { status: response.status, body: (await response.json()) as any }
    }

    return { app, db, call, notes: app.service('notes') as any }
  }

  for (const withSchema of [false, true]) {
    it(`leave as base64, and come back as they were, ${withSchema ? 'with' : 'without'} a schema`, async () => {
      const { call, db } = await open(withSchema)

      for (const bytes of BYTES) {
        const picture = bytes.toString('base64')
        const { status, body } = await call('POST', '', { picture })

        expect({ status, picture: body.picture }).toEqual({ status: 201, picture })
        expect((await call('PATCH', `/${body.id}`, { picture: null })).body.picture).toBeNull()
        expect((await call('PUT', `/${body.id}`, { picture: body.picture })).body).toEqual(body)
        expect((await call('GET', `/${body.id}`)).body).toEqual(body)
        expect((await call('GET', `?picture=${encodeURIComponent(picture)}`)).body).toEqual([body])
        expect((await call('GET', `?picture[$in][]=${encodeURIComponent(picture)}`)).body).toEqual([body])

        const [row]: any[] = await db
          .selectFrom('alula_bytes')
          .selectAll()
          .where('id', '=', body.id)
          .execute()

        expect(Buffer.compare(Buffer.from(row.picture), bytes)).toBe(0)
      }

      expect((await call('GET', '?picture[$ne]=YQ==')).body).toHaveLength(BYTES.length - 1)
    })

    it(`that are no base64 are a 400 that names the field, ${withSchema ? 'with' : 'without'} a schema`, async () => {
      const { call } = await open(withSchema)

      for (const picture of [
        'a',
        'YQ',
        'YQ=',
        'YR==',
        'YQ==\n',
        'Y Q==',
        '-_8=',
        '====',
        7,
        { type: 'Buffer', data: [1] }
      ]) {
        const { status, body } = await call('POST', '', { picture })

        expect([picture, status, Object.keys(body.errors ?? {})]).toEqual([picture, 400, ['picture']])
        expect(body.errors.picture).toContain('expects bytes as base64')
      }

      expect((await call('GET', '?picture=a')).body).toEqual([])
    })

    it(`are given as bytes by code, ${withSchema ? 'with' : 'without'} a schema`, async () => {
      const { notes } = await open(withSchema)

      expect(await notes.create({ picture: Buffer.from('a') })).toEqual({ id: 1, picture: 'YQ==' })
      expect(await notes.create([{ picture: new Uint8Array([0]) }, { picture: 'YQ==' }])).toMatchObject([
        { picture: 'AA==' },
        { picture: 'YQ==' }
      ])
      expect(await notes.find({ query: { picture: Buffer.from('a'), $select: ['id'] } })).toEqual([
        { id: 1 },
        { id: 3 }
      ])
      expect(await notes.patch(1, { picture: new Uint8Array(2) })).toEqual({ id: 1, picture: 'AAA=' })
    })
  }

  it('are in the document as base64, and in its forms as a string', async () => {
    const { app } = await open(true)
    const { components } = toOpenApi(app) as any
    const { picture } = components.schemas.NoteCreate.properties

    expect(picture).toEqual({ type: ['string', 'null'], contentEncoding: 'base64' })
    expect(components.schemas.Note.properties.picture).toEqual(picture)
    expect(toFormFields(components.schemas.NoteCreate)).toMatchObject([
      { path: 'picture', kind: 'string', isLong: true }
    ])
  })

  it('of rows from before are read, and are sorted by their values', async () => {
    const { db, notes } = await open(true)

    for (const bytes of BYTES) await sql`insert into alula_bytes (picture) values (${bytes})`.execute(db)

    const sorted = BYTES.toSorted(Buffer.compare).map((bytes) => bytes.toString('base64'))
    const found = await notes.find({ query: { $sort: { picture: 1 } } })

    expect(found.map(({ picture }: any) => picture)).toEqual(sorted)
  })

  it('can be an id', async () => {
    const id = Buffer.alloc(16, 7)
    const key = { SQLite: 'blob', PostgreSQL: 'bytea', MariaDB: 'binary(16)' }[name]
    const db = await createTable(database, 'alula_bytes', `id ${key} primary key, text varchar(10)`)
    const notes: any = kysely({ Model: db, name: 'alula_bytes', multi: true })
    const shown = id.toString('base64')

    expect(await notes.create({ id: shown, text: 'a' })).toEqual({ id: shown, text: 'a' })
    expect(await notes.get(shown)).toEqual({ id: shown, text: 'a' })
    expect(await notes.patch(shown, { text: 'b' })).toEqual({ id: shown, text: 'b' })
    expect(await notes.patch(null, { text: 'c' })).toEqual([{ id: shown, text: 'c' }])
    await expect(notes.get('nothing')).rejects.toMatchObject({ code: 404 })
    expect(await notes.remove(shown)).toEqual({ id: shown, text: 'c' })
  })
})

describeDatabases(
  'a column of bytes',
  (database) => {
    it.each([false, true])('may hold the text of other programs; with a schema: %s', async (withSchema) => {
      const db = await createTable(database, 'alula_bytes', 'id integer primary key, picture blob')
      const app = alula()

      app.use('notes', kysely({ Model: db, name: 'alula_bytes' }), withSchema ? { schema: table() } : {})
      await app.setup()

      const notes: any = app.service('notes')
      const web = (query = {}) => ({ provider: 'rest', query })
      const picture = Buffer.from('Bü').toString('base64')

      await sql`insert into alula_bytes values (1, 'Bü'), (2, 7)`.execute(db)

      // Its bytes in UTF-8, which a query does not find before they are stored as such.
      expect(await notes.get(1, web())).toEqual({ id: 1, picture })
      expect(await notes.find(web({ picture }))).toEqual([])
      expect(await notes.patch(1, { picture }, web())).toEqual({ id: 1, picture })
      expect(await notes.find(web({ picture }))).toEqual([{ id: 1, picture }])

      // A number stays one, and is none of the bytes that data may be.
      expect(await notes.get(2, web())).toEqual({ id: 2, picture: 7 })
      await expect(notes.patch(2, { picture: 7 }, web())).rejects.toMatchObject({
        code: 400,
        errors: { picture: expect.stringContaining('expects bytes as base64') }
      })
    })

    it.each([false, true])(
      'without a type shows its bytes as base64 too; with a schema: %s',
      async (withSchema) => {
        const db = await createTable(database, 'alula_bytes', 'id integer primary key, photo image, thing')
        const app = alula()

        app.use('notes', kysely({ Model: db, name: 'alula_bytes' }), withSchema ? { schema: table() } : {})
        await app.setup()
        await sql`insert into alula_bytes values (1, x'4164', x'61')`.execute(db)

        const handle = createHandler(app)
        const response = await handle(new Request('http://localhost/notes/1'))

        expect(await response.json()).toEqual({ id: 1, photo: 'QWQ=', thing: 'YQ==' })
      }
    )
  },
  [SQLITE]
)

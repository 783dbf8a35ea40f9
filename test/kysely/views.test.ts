import { type Kysely, sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { KyselyService, kysely, table } from '../../src/kysely.ts'
import { toOpenApi } from '../../src/openapi/document.ts'
import { toPageData } from '../../src/openapi/page-data.ts'
import {
  createTable,
  describeDatabases,
  MARIADB,
  POSTGRES,
  SQLITE,
  type TestDatabase
} from '../support/sql.ts'

const TABLE = 'alula_viewed'
const VIEW = 'alula_view'

/** Makes a table and a view of it, with what the view needs. */
async function open(database: TestDatabase, columns: string, view: string, ...further: readonly string[]) {
  const db = await createTable(database, TABLE, columns)

  onTestFinished(async () => {
    const owner = database.open()

    await sql`drop view if exists ${sql.table(VIEW)}`.execute(owner)
    if (database === POSTGRES) await sql`drop function if exists alula_viewed_change`.execute(owner)
    await owner.destroy()
  })
  await sql`drop view if exists ${sql.table(VIEW)}`.execute(db)
  for (const statement of [`create view ${VIEW} as ${view}`, ...further]) await sql.raw(statement).execute(db)

  return { db, records: kysely({ Model: db, name: VIEW, multi: true }) as any }
}

/** What the document and the page offer of a service. */
function readOffers(app: any, path: string) {
  const operations = Object.entries(toOpenApi(app).paths)
    .filter(([template]) => template === `/${path}` || template.startsWith(`/${path}/`))
    .flatMap(([, operations]) => Object.keys(operations))
  const methods = toPageData(app).services.find((service) => service.path === path)?.methods

  return { document: operations.sort(), page: methods?.map(({ name }) => name) }
}

async function statusOf(call: Promise<unknown>): Promise<unknown> {
  return await call.then(
    () => 'done',
    ({ code, errors }) => (errors ? [code, errors] : code)
  )
}

/** What triggers do in place of changes of the view. */
const INSTEAD: { readonly [database: string]: readonly string[] } = {
  SQLite: [
    `create trigger a instead of insert on ${VIEW} begin insert into ${TABLE} values (new.id, upper(new.name)); end`,
    `create trigger b instead of update on ${VIEW} begin update ${TABLE} set name = upper(new.name) where id = old.id; end`,
    `create trigger c instead of delete on ${VIEW} begin delete from ${TABLE} where id = old.id; end`
  ],
  PostgreSQL: [
    `create function alula_viewed_change() returns trigger language plpgsql as $$ begin
      if tg_op = 'DELETE' then delete from ${TABLE} where id = old.id; return old; end if;
      new.name := upper(new.name);
      if tg_op = 'INSERT' then insert into ${TABLE} values (new.id, new.name);
      else update ${TABLE} set name = new.name where id = old.id; end if;
      return new; end $$`,
    `create trigger a instead of insert or update or delete on ${VIEW} for each row execute function alula_viewed_change()`
  ]
}

/** Creates, changes and removes a record of a view in each way. */
async function check(records: any, toName: (name: string) => string): Promise<void> {
  const record = (id: number, name: string) => expect.objectContaining({ id, name: toName(name) })

  expect(await records.create({ id: 1, name: 'a' })).toEqual(record(1, 'a'))
  expect(
    await records.create([
      { id: 2, name: 'b' },
      { id: 3, name: 'c' }
    ])
  ).toEqual([record(2, 'b'), record(3, 'c')])
  expect(await records.patch(2, { name: 'd' })).toEqual(record(2, 'd'))
  expect(await records.update(2, { name: 'e' })).toEqual(record(2, 'e'))
  expect(await records.patch(null, { name: 'f' }, { query: { id: { $gt: 1 } } })).toEqual([
    record(2, 'f'),
    record(3, 'f')
  ])
  expect(await records.get(3)).toEqual(record(3, 'f'))
  expect(await records.remove(3)).toEqual(record(3, 'f'))
  expect(await records.remove(null)).toEqual([record(1, 'a'), record(2, 'f')])
  expect(await records.find()).toEqual([])
  expect(await statusOf(records.patch(9, { name: 'x' }))).toBe(404)
}

describeDatabases('a view that takes no changes', (database) => {
  it('is read, and every change is a 405 that changes nothing', async () => {
    const { db, records } = await open(
      database,
      `id ${database.countedId}, name varchar(10)`,
      `select max(id) as id, name from ${TABLE} group by name`
    )
    const app = alula()

    await sql`insert into ${sql.table(TABLE)} (name) values ('a'), ('a'), ('b')`.execute(db)
    app.use('names', records)
    app.use('more-names', kysely({ Model: db, name: VIEW }), { schema: table() })
    await app.setup()

    const handle = createHandler(app)

    for (const path of ['names', 'more-names']) {
      for (const [method, id] of [
        ['POST', ''],
        ['PUT', '/2'],
        ['PATCH', '/2'],
        ['DELETE', '/2']
      ] as const) {
        const response = await handle(
          new Request(`http://localhost/${path}${id}`, {
            method,
            headers: { 'content-type': 'application/json' },
            ...(method !== 'DELETE' && {
              body: JSON.stringify(method === 'POST' ? { name: 'c' } : { name: 'c' })
            })
          })
        )

        expect([path, method, response.status]).toEqual([path, method, 405])
      }
    }

    for (const path of ['names', 'more-names']) {
      expect(readOffers(app, path)).toEqual({ document: ['get', 'get'], page: ['find', 'get'] })
    }

    await expect(records.create({ id: 9, name: 'c' })).rejects.toThrow(
      'Records of this view cannot be created: the database makes them of others'
    )
    expect(await records.find({ query: { name: 'a' } })).toEqual([{ id: 2, name: 'a' }])
    expect(await records.find()).toHaveLength(2)
  })
})

describeDatabases(
  'a view of one table',
  (database) => {
    it('takes all changes', async () => {
      const { records } = await open(
        database,
        'id integer primary key, name varchar(10)',
        `select id, name from ${TABLE}`
      )

      await check(records, (name) => name)
    })

    it('leaves out what it computes', async () => {
      const { records } = await open(
        database,
        'id integer primary key, name varchar(10)',
        `select id, name, id + 1 as following from ${TABLE}`
      )
      const record = { id: 1, name: 'a', following: 2 }

      expect(await records.create(record)).toEqual(record)
      expect(await records.update(1, { ...record, name: 'b' })).toEqual({ ...record, name: 'b' })
      expect(await records.patch(1, { following: 7 })).toEqual({ ...record, name: 'b' })
    })

    it('has natural keys, which clients give', async () => {
      const { records } = await open(
        database,
        'id varchar(12) primary key, name varchar(10)',
        `select id, name from ${TABLE}`
      )
      const app = alula()

      app.use('names', records, { schema: table() })
      await app.setup()

      const names: any = app.service('names')
      const web = { provider: 'rest', query: {} }

      expect(await names.create({ id: 'A-1', name: 'a' }, web)).toEqual({ id: 'A-1', name: 'a' })
      // MariaDB does not name the column of its table.
      expect(await statusOf(names.create({ name: 'a' }, web))).toEqual(
        database === MARIADB ? 400 : [400, { id: 'is required' }]
      )
    })

    it('has records with numbers of the table', async () => {
      const { records } = await open(
        database,
        `id ${database.countedId}, name varchar(10) default 'none'`,
        `select id, name from ${TABLE}`
      )

      expect(await records.create({ name: 'a' })).toEqual({ id: 1, name: 'a' })
      expect(await records.create([{ name: 'b' }, { name: 'c' }])).toEqual([
        { id: 2, name: 'b' },
        { id: 3, name: 'c' }
      ])
    })

    it('keeps its check option', async () => {
      const { records } = await open(
        database,
        'id integer primary key, name varchar(10)',
        `select id, name from ${TABLE} where id < 10 with check option`
      )

      expect(await statusOf(records.create({ id: 11, name: 'a' }))).toBe(400)
      expect(await records.create({ id: 1, name: 'a' })).toEqual({ id: 1, name: 'a' })
    })
  },
  [POSTGRES, MARIADB]
)

describeDatabases(
  'a view with triggers',
  (database) => {
    const COLUMNS = 'id integer primary key, name varchar(10)'

    it('takes the changes that they make, and returns what is stored', async () => {
      const { records } = await open(
        database,
        COLUMNS,
        `select id, name from ${TABLE} order by id`,
        ...(INSTEAD[database.name] ?? [])
      )

      await check(records, (name) => name.toUpperCase())
    })

    it('takes records from clients, with a schema', async () => {
      const { records } = await open(
        database,
        COLUMNS,
        `select id, name from ${TABLE}`,
        ...(INSTEAD[database.name] ?? [])
      )
      const app = alula()

      app.use('names', records, { schema: table() })
      await app.setup()

      const names: any = app.service('names')
      const web = { provider: 'rest', query: {} }

      if (database === SQLITE) {
        expect(await statusOf(names.create({ name: 'a' }, web))).toEqual([400, { id: 'is required' }])
        expect(await names.create({ id: 1, name: 'a' }, web)).toEqual({ id: 1, name: 'A' })
      } else {
        await names.create({ id: 1, name: 'a' })
      }
      expect(await names.patch(1, { name: 'b' }, web)).toEqual({ id: 1, name: 'B' })
    })

    it('takes no others', async () => {
      const [first = '', second = ''] = INSTEAD[database.name] ?? []
      const further =
        database === SQLITE ? [first] : [first, second.replace('insert or update or delete', 'insert')]
      const { records } = await open(
        database,
        COLUMNS,
        `select id, name from ${TABLE} group by id`,
        ...further
      )

      expect(await records.create({ id: 1, name: 'a' })).toEqual({ id: 1, name: 'A' })
      expect(await statusOf(records.patch(1, { name: 'b' }))).toBe(405)
      expect(await statusOf(records.remove(1))).toBe(405)

      const app = alula()

      app.use('names', records)

      expect(readOffers(app, 'names')).toEqual({
        document: ['get', 'get', 'post'],
        page: ['find', 'get', 'create']
      })
    })

    it('is offered with the methods that its class has made itself', async () => {
      const { db } = await open(database, COLUMNS, `select id, name from ${TABLE} group by id`)

      class Names extends KyselyService<any> {
        override async create(data: any): Promise<any> {
          await sql`insert into ${sql.table(TABLE)} values (${data.id}, ${data.name})`.execute(db)

          return await this.get(data.id)
        }
      }

      const app: any = alula()

      app.use('names', new Names({ Model: db, name: VIEW }))

      expect(await app.service('names').create({ id: 1, name: 'a' })).toEqual({ id: 1, name: 'a' })
      expect(readOffers(app, 'names').page).toEqual(['find', 'get', 'create'])
    })
  },
  [SQLITE, POSTGRES]
)

describeDatabases(
  'a view with rules',
  (database) => {
    it.each(['', 'returning id, name'])('takes the changes that they make: %s', async (returning) => {
      const { records } = await open(
        database,
        'id integer primary key, name text',
        `select id, max(name) as name from ${TABLE} group by id`,
        `create rule a as on insert to ${VIEW} do instead insert into ${TABLE} values (new.id, new.name) ${returning}`,
        `create rule b as on update to ${VIEW} do instead update ${TABLE} set name = new.name where id = old.id ${returning && `returning ${TABLE}.id, ${TABLE}.name`}`,
        `create rule c as on delete to ${VIEW} do instead delete from ${TABLE} where id = old.id ${returning}`
      )

      await check(records, (name) => name)
    })
  },
  [POSTGRES]
)

/** Triggers that refuse a record, leave one out, and change one. */
const TRIGGERS: { readonly [database: string]: (db: Kysely<any>) => Promise<void> } = {
  SQLite: async (db) => {
    await sql`create trigger x before insert on alula_viewed when new.name = 'bad' begin select raise(abort, 'no bad'); end`.execute(
      db
    )
    await sql`create trigger y before insert on alula_viewed when new.name = 'out' begin select raise(ignore); end`.execute(
      db
    )
  },
  PostgreSQL: async (db) => {
    await sql
      .raw(`create or replace function alula_viewed_change() returns trigger language plpgsql as $$ begin
      if new.name = 'bad' then raise exception 'no bad'; end if;
      if new.name = 'worse' then raise exception 'no worse' using errcode = 'check_violation', column = 'name'; end if;
      if new.name = 'out' then return null; end if;
      return new; end $$`)
      .execute(db)
    await sql`create trigger x before insert on alula_viewed for each row execute function alula_viewed_change()`.execute(
      db
    )
  },
  MariaDB: async (db) => {
    await sql
      .raw(`create trigger alula_viewed_x before insert on alula_viewed for each row begin
      if new.name = 'bad' then signal sqlstate '45000' set message_text = 'no bad'; end if; end`)
      .execute(db)
  }
}

describeDatabases('a trigger that raises', (database) => {
  it('is a 400, whose cause is what it has said', async () => {
    const db = await createTable(database, TABLE, `id ${database.countedId}, name varchar(10)`)

    await TRIGGERS[database.name]?.(db)

    const records: any = kysely({ Model: db, name: TABLE, multi: true })

    for (const data of [{ name: 'bad' }, [{ name: 'a' }, { name: 'bad' }]]) {
      const error = await records.create(data).catch((thrown: unknown) => thrown)

      expect(error).toMatchObject({ code: 400, message: 'Invalid data: a value is not allowed' })
      expect(error.cause.message).toContain('no bad')
    }
    if (database === POSTGRES) {
      expect(await statusOf(records.create({ name: 'worse' }))).toEqual([400, { name: 'is not allowed' }])
    }
    if (database !== MARIADB) {
      await expect(records.create({ name: 'out' })).rejects.toMatchObject({
        code: 400,
        message: 'Invalid data: the database has not stored the record'
      })
    }

    expect(await records.find()).toEqual([])
  })
})

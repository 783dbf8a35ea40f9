// A page reads related records in its own statement where that cannot be told from a `find` of their service.
import { type Kysely, ParseJSONResultsPlugin, sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { access, anyone, user } from '../../src/access.ts'
import { KyselyService, kysely, withTransaction } from '../../src/kysely.ts'
import { describeDatabases, MARIADB, POSTGRES, SQLITE } from '../support/sql.ts'
import { type Difference, open, read } from './support/prefetch.ts'
import { declareThings } from './support/relations.ts'

class Narrow extends KyselyService {
  override async _find(params: any = {}): Promise<any> {
    return await super._find({ ...params, query: { ...params.query, name: 'Ada' } })
  }
}

class FirstTag extends KyselyService {
  override async _find(params: any = {}): Promise<any> {
    return await super._find({ ...params, query: { ...params.query, tag: 1 } })
  }
}

const ada = { id: 1, name: 'Ada' }

/** Has all services read by another instance of Kysely. */
function useInstance(app: any, Model: Kysely<any>): void {
  for (const service of Object.values<any>(app.services)) service.options.Model = Model
}

const CASES: { readonly [reason: string]: Difference } = {
  'nothing stands against it': {
    statements: 1,
    first: {
      author: ada,
      tags: [
        { id: 1, name: 'history' },
        { id: 2, name: 'code' }
      ],
      comments: [
        { id: 2, note: 1, person: 2, text: 'y' },
        { id: 3, note: 1, person: 1, text: 'z' }
      ],
      commentCount: 2,
      hasComments: true
    }
  },
  'relations are selected': {
    query: { $select: ['text', 'author', 'tags', 'commentCount'] },
    statements: 1,
    first: { author: ada, commentCount: 2 }
  },
  'the page has no total': { params: { paginate: { default: 3, total: false } }, statements: 1 },
  'the page is sorted and filtered': {
    query: { $sort: { commentCount: -1, id: -1 }, text: { $ne: 'e' } },
    statements: 1
  },
  'what is included includes more': { query: { $include: ['comments.person_', 'author'] }, statements: 2 },
  'there is no limit': { params: { paginate: false }, statements: 6 },
  'the limit leaves no room': { query: { $limit: 6000 }, statements: 5 },
  'a hook of the service narrows the query': {
    prepare: (app) =>
      app.service('people').hooks({
        before: { find: [({ params }: any) => void Object.assign(params.query, { name: 'Bob' })] }
      }),
    query: { $include: ['author', 'tags'] },
    statements: 2,
    first: { author: null }
  },
  'a hook of the service changes the result': {
    prepare: (app) =>
      app.service('people').hooks({
        after: {
          find: [({ result }: any) => void result.map((one: any) => Object.assign(one, { name: 'x' }))]
        }
      }),
    statements: 2,
    first: { author: { id: 1, name: 'x' } }
  },
  'a hook of the service is for errors': {
    prepare: (app) => app.service('people').hooks({ error: { find: [() => undefined] } }),
    statements: 1,
    first: { author: ada }
  },
  'a hook of the application is for errors': {
    prepare: (app) => app.hooks({ error: { all: [() => undefined] } }),
    statements: 1,
    first: { author: ada }
  },
  'a hook of the application narrows queries': {
    prepare: (app) =>
      app.hooks({
        before: {
          find: [
            ({ path, params }: any) => void (path === 'tags' && Object.assign(params.query, { name: 'code' }))
          ]
        }
      }),
    statements: 6,
    first: { tags: [{ id: 2, name: 'code' }] }
  },
  'a hook narrows what links lead to': {
    prepare: (app) =>
      app.service('tags').hooks({
        before: { find: [({ params }: any) => void Object.assign(params.query, { name: 'code' })] }
      }),
    query: { $include: ['author', 'tags'] },
    statements: 2,
    first: { tags: [{ id: 2, name: 'code' }] }
  },
  'a class narrows the query': { Service: Narrow, statements: 2 },
  'a class narrows the links': {
    Links: FirstTag,
    query: { $include: ['tags'] },
    statements: 3,
    first: { tags: [{ id: 1, name: 'history' }] }
  },
  'access adds a condition': {
    people: { access: access({ find: () => ({ name: { $ne: 'Ada' } }) }) },
    statements: 2,
    first: { author: null }
  },
  'access may add a condition': { people: { access: access({ find: () => true }) }, statements: 2 },
  'the call comes from inside, where access is not asked': {
    people: { access: access({ find: () => false }) },
    params: { provider: undefined },
    statements: 1,
    first: { author: { ...ada, secret: 's' } }
  },
  'access refuses the caller': {
    people: { access: access({ find: user }) },
    statements: 1,
    first: { author: null }
  },
  'access lets everybody in': {
    people: { access: access({ find: anyone }) },
    statements: 1,
    first: { author: ada }
  },
  'clients have no find': { people: { methods: ['get'] }, statements: 1, first: { author: null } },
  'a field is computed': {
    settings: {
      computed: { length: { from: ['name'], many: (all: any[]) => all.map(({ name }) => name.length) } }
    },
    statements: 1,
    first: { author: { ...ada, length: 3 } }
  },
  'an integer is small': {
    column: () => 'bigint',
    value: '7',
    statements: 1,
    first: { author: { ...ada, extra: 7 } }
  },
  'an integer is beyond 2^53': {
    column: () => 'bigint',
    value: '9007199254740993',
    statements: 2,
    first: { author: { ...ada, extra: '9007199254740993' } }
  },
  'a number is exact': { column: () => 'numeric(10, 2)', value: '1.10', statements: 2 },
  'a number is a fraction': { column: ({ number }) => number, value: '0.1', statements: 2 },
  'a column has bytes': {
    column: (database) => (database === SQLITE ? 'blob' : 'bytea'),
    value: "'abc'",
    statements: 2
  },
  'a column has times': {
    column: ({ date }) => date,
    value: "'2026-01-02T03:04:05.678Z'",
    statements: [1, 2]
  },
  'a column has booleans': { column: ({ boolean }) => boolean, value: 'true', statements: 1 },
  'a column has JSON': {
    column: ({ json }) => json,
    value: `'{"a": [1.5, "x\\"", null, {"b": true}]}'`,
    statements: 1,
    first: { author: { ...ada, extra: { a: [1.5, 'x"', null, { b: true }] } } }
  },
  'the tables are those of a schema of the database': {
    prepare: (app, db, database) => useInstance(app, db.withSchema(database === SQLITE ? 'main' : 'public')),
    statements: 1,
    first: { author: ada, commentCount: 2 }
  },
  'a plugin may change rows': {
    prepare: (app, db) => useInstance(app, db.withPlugin(new ParseJSONResultsPlugin())),
    statements: 6,
    first: { author: ada, commentCount: 2 }
  },
  'no index finds the records': { withoutIndex: true, query: { $include: ['comments'] }, statements: 2 },
  'no index finds the links': { withoutIndex: true, query: { $include: ['tags'] }, statements: 3 },
  'no index counts them': {
    withoutIndex: true,
    query: { $include: ['commentCount', 'author'] },
    statements: 2
  }
}

describeDatabases(
  'related records are those of a find of their service',
  (database) => {
    it.each(Object.entries(CASES))('where %s', async (_reason, difference) => {
      const { statements, first = {} } = difference
      const wanted = typeof statements === 'number' ? statements : statements[database === SQLITE ? 0 : 1]
      const { page, expected, count } = await read(database, difference)

      expect(page).toEqual(expected.slice(0, page.length))
      expect(page.length).toBeGreaterThan(2)
      expect(page[0]).toMatchObject(first)
      expect(count).toBe(wanted)
    })

    it('where a single record is read', async () => {
      const { app, statements } = await open(database, {})
      const query = { $include: ['author', 'comments', 'commentCount', 'hasComments'] }

      statements.length = 0

      const note = await app.service('notes').get(1, { query })

      expect(statements).toHaveLength(1)
      expect(note).toMatchObject({ id: 1, author: ada, comments: [{ id: 2 }, { id: 3 }], commentCount: 2 })
      await expect(app.service('notes').get(99, { query })).rejects.toThrow("No record found for id '99'")
    })

    it('where hooks are added between two pages', async () => {
      const { app, find, statements } = await open(database, {})
      const readCounts = async () => {
        statements.length = 0

        const page = await find({ provider: 'rest', query: { $include: 'commentCount', $sort: { id: 1 } } })

        return [page.map(({ commentCount }: any) => commentCount > 0), statements.indexOf('end')]
      }

      expect(await readCounts()).toEqual([[true, true, false, false, false], 1])

      app.service('comments').hooks({
        before: { find: [(context: any) => Object.assign(context.params.query, { text: 'of nobody' })] }
      })

      expect(await readCounts()).toEqual([[false, false, false, false, false], 2])
    })

    it('where a record leads to many, up to the limit of a call', async () => {
      const { app, find, statements } = await open(database, {})
      const query = { $include: 'comments', $limit: 10, $sort: { id: 1 } }
      const add = (length: number) =>
        app.service('comments').create(
          Array.from({ length }, () => ({ note: 3, person: 1, text: 'x' })),
          { adapter: { multi: true } }
        )
      const measure = async () => {
        statements.length = 0

        const [, , { comments }] = await find({ provider: 'rest', query })

        return [comments.length, statements.indexOf('end')]
      }

      await add(1000)
      expect(await measure()).toEqual([1000, 1])
      await add(1)
      // By themselves they are read in parts of 250: the first one twice, to continue by its keys.
      expect(await measure()).toEqual([1001, 7])
      for (let done = 1001; done < 9000; done += 1499) await add(1499)
      expect(await measure()).toEqual([9995, 42])
      await add(10)
      await expect(find({ provider: 'rest', query })).rejects.toThrow('more than 10000 records')
    })

    it('where the records are in a transaction that has not ended', async () => {
      const { app, db, statements } = await open(database, {})

      await withTransaction(db, async () => {
        await app.service('people').patch(1, { name: 'Eve' })
        statements.length = 0

        const { data } = await app.service('notes').find({ query: { $include: 'author', $sort: { id: 1 } } })

        expect(data[0].author.name).toBe('Eve')
        expect(statements).toHaveLength(1)
      })
    })

    it('of services without a scope, whose calls find others', async () => {
      const { find, statements } = await open(database, {
        people: { singleton: () => 2, access: access({ all: anyone }) }
      })

      statements.length = 0

      const [first, second] = await find({
        provider: 'rest',
        query: { $include: 'author', $sort: { id: 1 } }
      })

      expect([first.author, second.author]).toMatchObject([null, { id: 2 }])
      expect(statements[0]).not.toContain('alula_prefetch_people')
    })

    it('where their table is in another database', async () => {
      const other = database.open()

      onTestFinished(() => other.destroy())

      const { page, expected, count } = await read(database, {
        query: { $include: ['author', 'tags', 'commentCount'] },
        prepare: async (app) => {
          await sql`create table if not exists alula_prefetch_tags (id integer primary key, name text)`.execute(
            other
          )
          Object.assign(app.service('tags').options, { Model: other })
        }
      })

      expect(page).toEqual(expected)
      expect(count).toBe(1)
    })

    it('where ids are strings', async () => {
      const { app, db, statements } = await open(database, {})

      onTestFinished(() => sql`drop table alula_prefetch_things`.execute(db).then(() => undefined))
      await sql`create table alula_prefetch_things (id ${sql.raw(database.text)} primary key, parent ${sql.raw(database.text)})`.execute(
        db
      )
      await sql`create index alula_prefetch_parent on alula_prefetch_things (parent)`.execute(db)
      app.use('things', kysely({ Model: db, name: 'alula_prefetch_things', multi: true }), {
        schema: declareThings()
      })
      await app
        .service('things')
        .create(['top', 'c', 'a', 'É', 'a b', '1'].map((id) => ({ id, parent: id === 'top' ? null : 'top' })))

      const query = { $include: ['above', 'below', 'number'], $sort: { id: 1 } }

      statements.length = 0
      const page = await app.service('things').find({ query: { ...query, $limit: 10 } })

      expect(statements).toHaveLength(1)
      expect(page).toEqual(await app.service('things').find({ query }))
      expect(page.at(-2)).toMatchObject({
        below: [{ id: '1' }, { id: 'a' }, { id: 'a b' }, { id: 'c' }, { id: 'É' }]
      })
    })
  },
  [SQLITE, POSTGRES]
)

describeDatabases(
  'related records',
  (database) => {
    it('are read as ever where a column holds what its type does not say', async () => {
      const { page, expected, count } = await read(database, {
        prepare: (_app, db) => sql`update alula_prefetch_people set name = x'ff' where id = 2`.execute(db)
      })

      expect(page).toEqual(expected)
      // The one that is refused, and those of a page without related records.
      expect(count).toBe(1 + 6)
    })

    it('are read as ever where a string has NUL', async () => {
      const { page, expected, count } = await read(database, {
        prepare: (_app, db) =>
          sql`update alula_prefetch_people set name = 'a' || char(0) where id = 2`.execute(db)
      })

      expect(page).toEqual(expected)
      expect(count).toBe(2)
    })
  },
  [SQLITE]
)

describeDatabases(
  'related records',
  (database) => {
    it('are read by themselves, each relation for all records of a page', async () => {
      const { page, expected, count } = await read(database, {})

      expect(page).toEqual(expected)
      expect(count).toBe(6)
    })
  },
  [MARIADB]
)

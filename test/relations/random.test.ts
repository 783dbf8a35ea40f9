import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { callService, getResponse } from '../../src/core/call.ts'
import { kysely } from '../../src/kysely.ts'
import { scaled } from '../support/scale.ts'
import { describeDatabases, MARIADB, type TestDatabase } from '../support/sql.ts'
import { filters, included, rows, rules } from './support/related-records.ts'
import {
  ask,
  createInMemory,
  DEFAULTS,
  LINKING,
  type Path,
  paths,
  register,
  relations,
  type Store
} from './support/relations.ts'

const columns: { readonly [name in Path]: (database: TestDatabase) => string } = {
  people: ({ text }) => `name ${text}, boss_id integer, secret ${text}`,
  notes: ({ text }) => `text ${text}, owner integer`,
  comments: ({ text }) => `note integer, author_id integer, text ${text}`,
  tags: ({ text }) => `name ${text}`,
  links: () => 'note integer, tag integer'
}

async function createInTables(database: TestDatabase): Promise<Store> {
  const statements: string[] = []
  const log = ({ query }: { query: { sql: string } }) => void statements.push(query.sql)
  const db = database.open(log as any)

  onTestFinished(async () => {
    for (const path of paths) await db.schema.dropTable(`alula_related_${path}`).ifExists().execute()
    await db.destroy()
  })
  for (const path of paths) {
    const text = `id ${database.countedId}, ${columns[path](database)}`

    await db.schema.dropTable(`alula_related_${path}`).ifExists().execute()
    await sql`create table ${sql.table(`alula_related_${path}`)} (${sql.raw(text)})`.execute(db)
  }

  for (const [path, column] of [
    ['people', 'boss_id'],
    ['notes', 'owner'],
    ['comments', 'note'],
    ['links', 'note']
  ]) {
    const index = sql.id(`alula_related_${path}_${column}`)

    await sql`create index ${index} on ${sql.table(`alula_related_${path}`)} (${sql.ref(String(column))})`.execute(
      db
    )
  }

  const services = paths.map((path) => {
    const name = `alula_related_${path}`

    return [path, kysely({ Model: db, name, multi: true, operators: ['$nor'] })] as const
  })

  return { ...register(services), statements }
}

/** Finds records, for a client or for code. */
type Ask = (app: any, path: string, query: object) => Promise<any[]>

/** Finds records from inside, where access is not asked: there, a page reads related records in its own statement. */
const askInside: Ask = (app, path, query) => app.service(path).find({ query })

/** What a `find` of its own gives; nothing where the caller is refused. */
async function find(app: any, path: string, query: object, asking: Ask = ask): Promise<any[]> {
  try {
    return (await asking(app, path, query)).toSorted((a, b) => a.id - b.id)
  } catch (error: any) {
    if (error.code === 401) return []
    throw error
  }
}

/** The relations once more, one record after the other. */
async function addByHand(
  app: any,
  path: Path,
  records: any[],
  names: readonly string[],
  asking?: Ask
): Promise<any[]> {
  const tops = [...new Set(names.map((name) => name.split('.')[0] as string))]
  const expanded = records.map((record) => ({ ...record }))

  for (const record of expanded) {
    for (const name of tops) {
      const relation: any = (relations[path] as any)[name]
      const within = names
        .filter((other) => other.startsWith(`${name}.`))
        .map((other) => other.slice(name.length + 1))
      const own = record[relation.from ?? 'id']
      let related: any[] = []

      if (own !== null && relation.through) {
        const { path: link, from, to } = relation.through
        const links = await app.service(link).find({ query: { [from]: own } })

        for (const tag of new Set(links.map((one: any) => one[to]))) {
          related.push(...(await find(app, relation.path, { id: tag }, asking)))
        }
        related.sort((a, b) => a.id - b.id)
      } else if (own !== null)
        related = await find(app, relation.path, { [relation.to ?? 'id']: own }, asking)

      if (relation.kind === 'count') record[name] = related.length
      else if (relation.kind === 'exists') record[name] = related.length > 0
      else {
        const full = await addByHand(app, relation.path, related, within, asking)

        record[name] = relation.kind === 'one' ? (full[0] ?? null) : full
      }
    }
  }

  return expanded
}

/** What is left of records, and of those in them, without what links them. */
function withoutLinks(path: Path, records: any[]): any[] {
  return records.map((record) =>
    Object.fromEntries(
      Object.entries(record).flatMap(([name, value]) => {
        const relation: any = (relations[path] as any)[name]

        if (LINKING[path].includes(name)) return []
        if (Array.isArray(value)) return [[name, withoutLinks(relation.path, value)]]
        if (value && typeof value === 'object') return [[name, withoutLinks(relation.path, [value])[0]]]

        return [[name, value]]
      })
    )
  )
}

async function fill(app: any, data: { [path in Path]: any[] }): Promise<void> {
  await Promise.all(
    paths.map(async (path) => {
      const service = app.service(path)
      // The ids that relations mean, whatever numbers the store has given before.
      const records = data[path].map((record, index) => ({ ...record, id: index + 1 }))

      await service.remove(null)
      if (records.length > 0) await service.create(records, { schema: false })
    })
  )
}

function check(create: () => Promise<Store>): void {
  it('includes what a find of its own would give the caller', async () => {
    const { app, secretive, guarded } = await create()

    await fc.assert(
      fc.asyncProperty(
        fc.record(rows),
        rules,
        included,
        fc.boolean(),
        fc.constantFrom({}, { $limit: 4 }, { $limit: 100, $skip: 1 }),
        async (data, rule, { path, names }, isInside, page) => {
          guarded.rules = {}
          await fill(app, data)
          guarded.rules = { ...rule, [path]: 'all' }

          const asking = isInside ? askInside : ask
          const query = { $sort: { id: 1 }, ...page }
          const expected = await addByHand(app, path, await asking(app, path, query), names, asking)
          const found = await asking(app, path, { ...query, $include: names })

          expect(found).toEqual(expected)
          if (isInside) return

          expect(JSON.stringify(found)).not.toContain('sentinel')
          expect(await ask(secretive, path, { ...page, $include: names })).toEqual(
            withoutLinks(path, expected)
          )

          const byDefault = await ask(secretive, path, page)

          expect(byDefault).toEqual(await ask(secretive, path, { ...page, $include: DEFAULTS[path] }))
          expect(byDefault.every((record) => 'author' in record || 'boss' in record)).toBe(true)
          expect(JSON.stringify(byDefault)).not.toContain('sentinel')
        }
      ),
      { numRuns: scaled(5000) }
    )
  })

  it('filters through relations like two steps by hand, by listed fields alone', async () => {
    const { app, secretive, guarded } = await create()

    await fc.assert(
      fc.asyncProperty(
        fc.record(rows),
        rules,
        filters,
        fc.boolean(),
        async (data, rule, [path, name, query], isNegated) => {
          guarded.rules = {}
          await fill(app, data)
          guarded.rules = { ...rule, [path]: 'all' }

          const relation: any = (relations[path] as any)[name]
          const asked = Object.fromEntries(
            Object.entries(query).map(([key, value]) => [key.slice(name.length + 1), value])
          )
          const related = await find(app, relation.path, asked)
          const links = relation.through ? await app.service(relation.through.path).find() : []
          const matches = (record: any) =>
            relation.through
              ? links.some(
                  (link: any) => link.note === record.id && related.some((one) => one.id === link.tag)
                )
              : related.some((one) => one[relation.to ?? 'id'] === record[relation.from ?? 'id'])
          const all = await ask(app, path, { $sort: { id: 1 } })
          const expected = all.filter((record) => matches(record) !== isNegated)

          const filter = isNegated ? { $nor: [query] } : query

          expect(await ask(app, path, { $sort: { id: 1 }, ...filter })).toEqual(expected)
          expect(await ask(secretive, path, { ...filter, $include: [] })).toEqual(
            withoutLinks(path, expected)
          )
        }
      ),
      { numRuns: scaled(2000) }
    )
    guarded.rules = {}
    for (const query of [
      { 'author.secret': 'x' },
      { 'author.boss_id': 1 },
      { 'author.boss.name': 'x' },
      { author: 1 }
    ]) {
      await expect(ask(app, 'notes', query)).rejects.toMatchObject({ code: 400 })
    }
  })

  it('sorts by numbers of related records that the caller may find', async () => {
    const { app, guarded } = await create()

    await fc.assert(
      fc.asyncProperty(fc.record(rows), rules, fc.constantFrom(1, -1), async (data, rule, direction) => {
        guarded.rules = {}
        await fill(app, data)

        for (const [path, name] of [
          ['people', 'noteCount'],
          ['people', 'team'],
          ['notes', 'hasComments']
        ] as const) {
          guarded.rules = { ...rule, [path]: 'all' }

          const all = await addByHand(app, path, await ask(app, path, { $sort: { id: 1 } }), [name])
          const expected = all.toSorted((a, b) => (Number(a[name]) - Number(b[name])) * direction)
          const found = await ask(app, path, { $sort: { [name]: direction, id: 1 }, $select: ['id', name] })

          expect(found).toEqual(expected.map((record) => ({ id: record.id, [name]: record[name] })))
        }
      }),
      { numRuns: scaled(1000) }
    )
  })

  it('are part of what writing methods return, when they are asked for', async () => {
    const { app } = await create()

    await fill(app, {
      people: [{ name: 'Ada', boss_id: null, secret: 's' }],
      notes: [],
      comments: [],
      tags: [],
      links: []
    })

    const call = async (method: string, rest: object) =>
      getResponse(
        await callService(app.service('notes'), {
          method,
          params: { provider: 'rest', query: { $include: 'author' } },
          ...rest
        } as any)
      )
    const author = { id: 1, name: 'Ada', boss_id: null }
    const created: any = await call('create', { data: { text: 'a', owner: 1 } })

    expect(created).toMatchObject({ text: 'a', author })
    expect(await call('patch', { id: created.id, data: { text: 'b' } })).toMatchObject({ text: 'b', author })
    expect(await call('get', { id: created.id })).toMatchObject({ text: 'b', author })
    expect(await app.service('notes').get(created.id)).not.toHaveProperty('author')
    expect(await call('remove', { id: created.id })).toMatchObject({ text: 'b', author })
  })
}

describe('relations in memory', () => {
  check(async () => createInMemory())
})

describeDatabases('relations', (database) => {
  check(() => createInTables(database))

  it('cost as many statements for a hundred records as for one', async () => {
    const { app, statements } = await createInTables(database)

    for (const size of [1, 100]) {
      const list = <T>(make: (index: number) => T) => Array.from({ length: size }, (_, index) => make(index))

      for (const path of paths) await app.service(path).remove(null)

      const people = await app
        .service('people')
        .create(list((n) => ({ name: `p${n}`, boss_id: null, secret: 's' })))
      const notes = await app.service('notes').create(list((n) => ({ text: 'a', owner: people[n].id })))

      await app
        .service('comments')
        .create(list((n) => ({ note: notes[n].id, author_id: people[n].id, text: 'a' })))

      const tags = await app.service('tags').create(list((n) => ({ name: `t${n}` })))

      await app.service('links').create(list((n) => ({ note: notes[n].id, tag: tags[n].id })))

      const measure = async (query: object, params: object = { provider: 'rest' }) => {
        statements.splice(0)
        await app.service('notes').find({ ...params, paginate: { default: 100 }, query })

        return statements.length
      }

      // One for a page, one for a relation and level, one for all counts, one for a link table that is not read with the page.
      const links = database === MARIADB ? 1 : 0

      expect(await measure({})).toBe(1)
      expect(await measure({ $include: ['author'] })).toBe(2)
      expect(await measure({ $include: ['comments.author'] })).toBe(3)
      expect(await measure({ $include: ['tags'] })).toBe(2 + links)
      expect(await measure({ $select: ['text', 'commentCount', 'hasComments'] })).toBe(2)
      expect(await measure({ $include: ['author', 'comments.author', 'tags', 'commentCount'] })).toBe(
        6 + links
      )
      expect(await measure({ 'author.name': 'p0', 'comments.text': 'a' })).toBe(1)
      expect(await measure({ 'tags.name': 't0' })).toBe(1)
      expect(await measure({ $sort: { commentCount: -1 } })).toBe(1)

      const everything = { $include: ['author', 'comments.author', 'tags', 'commentCount', 'hasComments'] }

      // Here the rules of access may add conditions; calls from inside ask none.
      expect(await measure(everything, {})).toBe(database === MARIADB ? 7 : 2)
      expect(await measure({ $include: ['tags', 'author'] }, {})).toBe(database === MARIADB ? 4 : 1)
    }
  })
})

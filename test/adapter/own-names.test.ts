// Names that adapters have for themselves begin with an underscore: a class may have any other name as a custom method.
import { Kysely, SqliteDialect } from 'kysely'
import { expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { KyselyService } from '../../src/kysely.ts'
import { MemoryService } from '../../src/memory.ts'

/** What documents of adapters say that an adapter has. */
const DOCUMENTED = ['constructor', 'id', 'events', 'options', 'getOptions', 'getBy', 'allowsMulti']
  .concat(['sanitizeQuery', 'parseQuery', 'findCursorPage', 'asSet'])
  .concat(['find', 'get', 'create', 'update', 'patch', 'remove', 'upsert'])

const db = new Kysely<any>({ dialect: new SqliteDialect({ database: {} as any }) })

it.each([
  ['memory', new MemoryService(), ['store']],
  [
    'kysely',
    new KyselyService({ Model: db, name: 'things' }),
    ['getModel', 'getPlace', 'asLinks', 'identifiedBy', 'setup']
  ]
])('%s has no other names', (_name, service, further) => {
  const names = new Set(Object.getOwnPropertyNames(service))

  for (
    let prototype = Object.getPrototypeOf(service);
    prototype !== Object.prototype;
    prototype = Object.getPrototypeOf(prototype)
  ) {
    for (const name of Object.getOwnPropertyNames(prototype)) names.add(name)
  }

  const own = [...names].filter((name) => !name.startsWith('_') && !DOCUMENTED.includes(name))

  expect(own.sort()).toEqual([...further].sort())
})

it('a custom method may be named like what an adapter does inside', async () => {
  class Things extends MemoryService<any> {
    async match() {
      return 'matched'
    }

    async sort() {
      return 'sorted'
    }
  }

  const app: any = alula()

  app.use('things', new Things({ store: { 1: { id: 1 } } }), { methods: ['find', 'match', 'sort'] })

  const things = app.asClient().service('things')

  expect(await things.match()).toBe('matched')
  expect(await things.sort()).toBe('sorted')
  expect(await things.find({ query: { $sort: { id: 1 } } })).toEqual([{ id: 1 }])
})

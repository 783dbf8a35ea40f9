// Columns of SQLite hold several forms of a time, so statements compare an expression, and indexes have to be on that.
import { sql } from 'kysely'
import { expect, it, onTestFinished, vi } from 'vitest'
import { alula } from '../../src/index.ts'
import { kysely } from '../../src/kysely.ts'
import { SQLITE } from '../support/sql.ts'

const NAME = 'alula_date_indexes'

const TIME = `strftime('%Y-%m-%dT%H:%M:%f', "due")`
const DAY = 'date("day")'

async function setUp(indexes: readonly string[]) {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  const statements: string[] = []
  const db = SQLITE.open(({ query }) => void statements.push(query.sql))
  const app = alula()

  onTestFinished(async () => {
    warn.mockRestore()
    await db.destroy()
  })
  await sql
    .raw(`create table ${NAME} (id integer primary key, due timestamp, day date, owner integer)`)
    .execute(db)
  for (const index of indexes) await sql.raw(`create ${index}`).execute(db)

  app.use('tasks', kysely<any>({ Model: db, name: NAME }))
  await app.setup()
  await app.service('tasks').find()

  // Another file may have loaded a second copy of the library, which is warned of once.
  const warnings = warn.mock.calls.filter(([, options]: any) => options.code === 'ALULA_UNUSED_INDEX')

  return { db, tasks: app.service('tasks') as any, statements, warnings }
}

it.each([
  [`index i on ${NAME} (due)`, 'due', TIME],
  [`index i on ${NAME} (owner, due desc)`, 'due', TIME],
  [`index i on ${NAME} (day)`, 'day', DAY]
])('%s is named, with the expression that it needs', async (index, column, expression) => {
  const { warnings } = await setUp([index])

  expect(warnings).toEqual([
    [
      `The index 'i' of the table '${NAME}' serves no query and no $sort by '${column}' of the service 'tasks', which compare ${expression}, because a column of SQLite may hold several forms of a time. Create the index with ${expression} in place of the column`,
      { code: 'ALULA_UNUSED_INDEX' }
    ]
  ])
})

it('an index is named once where a trigger has its name', async () => {
  const trigger = `trigger i after insert on ${NAME} begin select 1; end`
  const { warnings } = await setUp([`index i on ${NAME} (due)`, trigger])

  expect(warnings).toHaveLength(1)
})

it('other indexes are not', async () => {
  const { warnings } = await setUp([
    `index a on ${NAME} (owner)`,
    `unique index b on ${NAME} (due)`,
    `index c on ${NAME} (due) where owner > 1`,
    `index d on ${NAME} (${TIME})`,
    `index e on ${NAME} (due, owner)`,
    `index f on ${NAME} (DATE( [day] ), owner)`,
    `index g on ${NAME} (day)`
  ])

  expect(warnings).toEqual([])
})

it('an index on the expression serves', async () => {
  const { db, tasks, statements } = await setUp([
    `index a on ${NAME} (${TIME})`,
    `index b on ${NAME} (${DAY})`
  ])

  for (const query of [
    { $sort: { due: 1 }, $limit: 5 },
    { $sort: { due: -1, id: -1 }, $limit: 5 },
    { due: { $gt: '2026-11-22T10:00:00Z' }, $sort: { due: 1 } },
    { due: '2026-11-22T10:00:00Z' },
    { $sort: { day: 1 }, $limit: 5 },
    { day: '2026-11-22' },
    { day: { $lte: '2026-11-22' }, $sort: { day: -1, id: -1 } }
  ]) {
    statements.length = 0
    await tasks.find({ query })

    const { rows } = await sql<{ detail: string }>`explain query plan ${sql.raw(
      (statements[0] as string).replaceAll('?', "'2026'")
    )}`.execute(db)
    const plan = rows.map(({ detail }) => detail).join('\n')
    // What a page has found is put in order once more.
    const search = '$limit' in query ? plan.split(`\nSCAN ${NAME}\n`, 1)[0] : plan

    expect(plan, JSON.stringify(query)).toContain(
      `USING INDEX ${'due' in { ...query, ...query.$sort } ? 'a' : 'b'}`
    )
    expect(search).not.toContain('TEMP B-TREE')
  }
})

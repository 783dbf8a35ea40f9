// What a table says about the types of its service.
import type { ColumnType, Generated, Insertable } from 'kysely'
import type { Application, Paginated } from '../../src/index.ts'
import { type KyselyOptions, kysely, type TableSettings, type TypesOfTable, table } from '../../src/kysely.ts'
import type { ServiceOf } from '../../src/schema.ts'
import { expectType } from '../support/expect-type.ts'

interface Database {
  notes: {
    id: Generated<number>
    text: string
    done: Generated<boolean>
    due: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
    ownerId: string
  }
}

interface Note {
  id: number
  text: string
  done: boolean
  due: Date | null
  ownerId: string
}

const notes = table<Database['notes'], 'ownerId'>({
  hidden: ['due'],
  server: { ownerId: ({ params }) => String(params.headers?.owner) },
  fields: { text: { maxLength: 100 } }
})
const whole = table<Database['notes']>()

interface Services {
  notes: ServiceOf<typeof notes>
  whole: ServiceOf<typeof whole, 'find' | 'create'>
}

declare const app: Application<Services>
declare const options: KyselyOptions

app.use('notes', kysely<Note, Insertable<Database['notes']>>({ ...options, paginate: { default: 10 } }), {
  schema: notes
})

const created = await app.service('notes').create({ text: 'a' })

expectType<Note>().of(created)
expectType<Paginated<Note>>().of(await app.service('notes').find())
await app.service('notes').create({ text: 'a', done: true, due: '2026-11-22', ownerId: 'ada', id: 7 })
await app.service('notes').patch(1, { due: null })
await app.service('whole').create({ text: 'a', ownerId: 'ada' })

// @ts-expect-error The text is required.
await app.service('notes').create({ done: true })
// @ts-expect-error The owner is required.
await app.service('whole').create({ text: 'a' })
// @ts-expect-error There is no such column.
await app.service('notes').patch(1, { don: true })
// @ts-expect-error A text is no boolean.
await app.service('notes').patch(1, { done: 'true' })
// @ts-expect-error There is no such column.
table<Database['notes']>({ fields: { txt: { maxLength: 100 } } })
// @ts-expect-error There is no such column.
table<Database['notes']>({ server: { owner: () => 'ada' } })
// @ts-expect-error The owner is a string.
table<Database['notes']>({ server: { ownerId: () => 5 } })
// @ts-expect-error There is no such setting.
table<Database['notes']>({ drift: 'warn' })
// @ts-expect-error A table is enforced.
table<Database['notes']>({ enforce: false })

// Without types.
const loose = table({
  hidden: ['secret'],
  server: { ownerId: () => 'ada' },
  fields: { text: { maxLength: 100 } }
})

declare const untyped: ServiceOf<typeof loose>

export const text: string = (await untyped.create({ text: 'a' })).text

export const settings: TableSettings<Note> = { fields: { text: { maxLength: 100 } }, hidden: ['due'] }

declare const types: TypesOfTable<Database['notes'], 'ownerId'>

expectType<Note>().of(types.record)

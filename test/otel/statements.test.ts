import { expect, it } from 'vitest'
import { toStatement } from '../../src/otel/conventions.ts'

it.each([
  ['select * from "notes" where "id" = $1', 'SELECT notes'],
  ['select "id", (select count(*) from "replies" where (("a") = 1)) as "c" from "notes"', 'SELECT notes'],
  ['select * from (select * from "notes" limit 10) as "section"', 'SELECT notes'],
  ['insert into "app"."notes" ("text") values ($1)', 'INSERT notes'],
  ['update "notes" set "text" = $1 where "id" = $2 returning *', 'UPDATE notes'],
  ['update `notes` set `text` = ? where exists (select 1 from `members` where 1 = 1)', 'UPDATE notes'],
  ['delete from "notes" where "id" in (select "noteId" from "members")', 'DELETE notes'],
  ['begin', 'BEGIN']
])('%s is about its own table', (sql, name) => {
  expect(toStatement({ sql, database: 'PostgreSQL' }).name).toBe(name)
})

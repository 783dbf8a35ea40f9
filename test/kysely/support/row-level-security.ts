import { Kysely, PostgresDialect, sql } from 'kysely'
import { onTestFinished } from 'vitest'
import type { SessionOption } from '../../../src/kysely.ts'
import { createDatabase, openPool, POSTGRES } from '../../support/sql.ts'

export interface Rows {
  /** The rows as a superuser, for whom policies do not hold. */
  readonly root: Kysely<any>
  /** A role for which they do, on a number of connections. */
  readonly db: Kysely<any>
  readonly role: string
}

export const session: SessionOption = (params) => ({ 'app.user_id': params.user?.id })

/** A table with notes of two users, whose policy lets each have their own. */
export async function openRows(connections = 1, options = ''): Promise<Rows> {
  const url = new URL(await createDatabase(POSTGRES))
  const role = `alula_member_${url.pathname.slice(1)}`
  const root = toKysely(url, 5)

  await sql`create role ${sql.id(role)} login`.execute(root)
  for (const statement of [
    `create table notes (id serial primary key, owner text not null default nullif(current_setting('app.user_id', true), ''), text text not null)`,
    'create table audits (id serial primary key, owner text, text text)',
    ...['notes', 'audits'].flatMap((table) => [
      `alter table ${table} enable row level security`,
      `create policy own on ${table} using (owner = nullif(current_setting('app.user_id', true), ''))`,
      `grant select, insert, update, delete on ${table} to "${role}"`,
      `grant usage on sequence ${table}_id_seq to "${role}"`
    ]),
    "insert into notes (owner, text) values ('ada', 'one'), ('ada', 'two'), ('bob', 'three')"
  ]) {
    await sql.raw(statement).execute(root)
  }

  url.searchParams.set('options', `-c role=${role} ${options}`)

  const db = toKysely(url, connections)

  onTestFinished(async () => {
    await db.destroy()
    await sql`drop owned by ${sql.id(role)} cascade`.execute(root)
    await sql`drop role ${sql.id(role)}`.execute(root)
    await root.destroy()
  })

  return { root, db, role }
}

function toKysely(url: URL, max: number): Kysely<any> {
  return new Kysely({ dialect: new PostgresDialect({ pool: openPool({ connectionString: url.href, max }) }) })
}

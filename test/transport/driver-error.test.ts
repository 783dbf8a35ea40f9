import { BadRequest as TheirBadRequest } from '@feathersjs/errors'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { BadRequest, Conflict, GeneralError, NotFound } from '../../src/errors.ts'
import { toClientError } from '../../src/transport/error.ts'

// Errors of databases that an application, or an adapter of Feathers, has made a Feathers error.

const REFUSED = 'The database has refused the call'
const UNEXPECTED = 'An unexpected error occurred on the server'

const show = (error: unknown) => toClientError(error).body

const statements = [
  'insert into "users" ("email", "password") values (\'ada\', \'$2b$10$hash\') returning "id" - duplicate key value violates unique constraint "users_email_key"',
  "insert into `users` (`email`) values ('ada') - UNIQUE constraint failed: users.email",
  'insert ignore into `users` (`email`) values (1) - failed',
  'replace into `users` values (1) - failed',
  'select `users`.* from `users` where `nothing` = 1 limit 2 - SQLITE_ERROR: no such column: nothing',
  'SELECT *\n FROM users - relation "users" does not exist',
  'update "users" set "password" = \'hash\' where "id" = 1 - value too long for type character varying(3)',
  'delete from "users" where "id" = 1 - violates foreign key constraint',
  'with "old" as (select 1) delete from "users" - failed',
  "(conn:5, no: 1062, SQLState: 23000) Duplicate entry 'ada' for key 'email'\nsql: INSERT INTO users VALUES (?) - parameters:['hash']"
]

const sentences = [
  'Select a colour from the list, or none',
  'Update the form',
  'Insert into the slot',
  'Delete this first',
  'Insert a coin',
  'With love as always',
  "No record found for id 'select * from users'",
  "Invalid query: 'update users set' is no field"
]

describe('in production', () => {
  beforeEach(() => void vi.stubEnv('NODE_ENV', 'production'))
  afterEach(() => vi.unstubAllEnvs())

  it.each(statements)('no client sees the statement of %j', (message) => {
    for (const Class of [BadRequest, Conflict, TheirBadRequest]) {
      const { name, code, className } = new Class('')

      expect(show(new Class(message, { field: 'email' }))).toEqual({
        name,
        message: REFUSED,
        code,
        className
      })
    }

    expect(show(new GeneralError(message)).message).toBe(UNEXPECTED)
    expect(show(Object.assign(new Error(message), { expose: true, status: 409 }))).toMatchObject({
      code: 409,
      message: REFUSED
    })
  })

  it.each(sentences)('clients see the sentence %j', (message) => {
    expect(show(new NotFound(message)).message).toBe(message)
  })

  it('no client sees the properties of a driver’s error', () => {
    const mysql = Object.assign(new Error('Duplicate entry'), { sql: 'insert …', sqlMessage: 'Duplicate …' })
    const postgres = Object.assign(new Error('duplicate key'), {
      severity: 'ERROR',
      routine: 'f',
      table: 'users'
    })

    expect(show(new Conflict('Taken', mysql))).not.toHaveProperty('data')
    expect(show(new Conflict('Taken', postgres))).not.toHaveProperty('data')
    expect(show(new Conflict('Taken', { severity: 'high' })).data).toEqual({ severity: 'high' })
  })

  it('a long message is searched in a moment', () => {
    const begin = process.cpuUsage()

    show(new BadRequest('sql: select '.repeat(100_000)))
    show(new BadRequest(`select ${' from'.repeat(100_000)}`))
    expect(process.cpuUsage(begin).user / 1000).toBeLessThan(1000)
  })
})

it.each(statements)('in development, clients see the statement of %j', (message) => {
  expect(show(new BadRequest(message, { sql: message }))).toMatchObject({ message, data: { sql: message } })
})

import { createRequire } from 'node:module'
import { ERROR, KnexService, transaction } from '@feathersjs/knex'
import knex, { type Knex } from 'knex'
import Database from 'libsql'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { BadRequest } from '../../src/errors.ts'
import express, { errorHandler, json, rest } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { serve } from '../support/server.ts'
import { describeDatabases, POSTGRES, POSTGRES_URL, SQLITE } from '../support/sql.ts'

// The service of Feathers v5 for SQL, mounted unchanged.

const BetterSqlite: any = createRequire(import.meta.url)('knex/lib/dialects/better-sqlite3')

/** Knex asks for `better-sqlite3`, which has to be compiled; `libsql` speaks the same API. */
class LibsqlClient extends BetterSqlite {
  _driver(): unknown {
    return Database
  }
}

function openKnex(name: string): Knex {
  return name === 'SQLite'
    ? knex({
        client: LibsqlClient as any,
        connection: { filename: ':memory:' },
        useNullAsDefault: true
      })
    : // The service creates the records of a list side by side. One connection keeps their order.
      knex({ client: 'pg', connection: POSTGRES_URL, pool: { min: 0, max: 1 } })
}

async function open(name: string) {
  const db = openKnex(name)
  const app = express(alula())
  const heard: string[] = []

  onTestFinished(async () => {
    await db.schema.dropTableIfExists('alula_hosted')
    await db.destroy()
  })
  await db.schema.dropTableIfExists('alula_hosted')
  await db.schema.createTable('alula_hosted', (table) => {
    table.increments('id')
    table.string('name').unique()
    table.integer('age')
  })

  app.use(json())
  app.configure(rest())
  app.use(
    'people',
    new KnexService({
      Model: db,
      name: 'alula_hosted',
      multi: true,
      paginate: { default: 2, max: 5 }
    }) as any
  )
  app.use(errorHandler({ logger: false }))

  for (const event of ['created', 'updated', 'patched', 'removed']) {
    app.service('people').on(event, (record: any) => heard.push(`${event} ${record.name}`))
  }

  const url = await serve(app as any)

  return {
    app,
    db,
    heard,
    people: app.service('people') as any,
    /** Sends a request; resolves to the status and the body. */
    send: async (method: string, path: string, body?: unknown): Promise<[number, any]> => {
      const response = await fetch(`${url}/${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })

      return [response.status, await response.json()]
    }
  }
}

describe('@feathersjs/knex', () => {
  describeDatabases(
    'in our application',
    ({ name }) => {
      it('serves all methods over REST, with events', async () => {
        const { send, heard } = await open(name)
        const ada = { id: 1, name: 'Ada', age: 36 }

        expect(await send('POST', 'people', { name: 'Ada', age: 36 })).toEqual([201, ada])
        expect(await send('POST', 'people', [{ name: 'Bob' }, { name: 'Cyd', age: 7 }])).toEqual([
          201,
          [
            { id: 2, name: 'Bob', age: null },
            { id: 3, name: 'Cyd', age: 7 }
          ]
        ])
        expect(await send('GET', 'people/1')).toEqual([200, ada])
        expect(await send('GET', 'people?$sort[id]=-1&$select[]=name')).toEqual([
          200,
          {
            total: 3,
            limit: 2,
            skip: 0,
            data: [
              { id: 3, name: 'Cyd' },
              { id: 2, name: 'Bob' }
            ]
          }
        ])
        expect((await send('GET', 'people?age[$gt]=10&$or[0][name]=Ada&$or[1][name]=Cyd'))[1].data).toEqual([
          ada
        ])
        expect((await send('GET', 'people?name[$like]=A%25'))[1].data).toEqual([ada])
        expect(await send('PUT', 'people/2', { name: 'Bea' })).toEqual([
          200,
          { id: 2, name: 'Bea', age: null }
        ])
        expect(await send('PATCH', 'people/2', { age: 20 })).toEqual([200, { id: 2, name: 'Bea', age: 20 }])
        expect(await send('PATCH', 'people?age[$gt]=10', { age: 50 })).toMatchObject([
          200,
          [{ age: 50 }, { age: 50 }]
        ])
        expect(await send('DELETE', 'people/3')).toEqual([200, { id: 3, name: 'Cyd', age: 7 }])
        expect(heard).toEqual([
          ...['created Ada', 'created Bob', 'created Cyd', 'updated Bea', 'patched Bea'],
          ...['patched Ada', 'patched Bea', 'removed Cyd']
        ])
      })

      it('answers what is wrong with its own errors, in our form', async () => {
        const { send, heard } = await open(name)

        expect(await send('GET', 'people/99')).toMatchObject([
          404,
          { name: 'NotFound', message: "No record found for id '99'", className: 'not-found' }
        ])
        expect((await send('GET', 'people?$where=1'))[0]).toBe(400)
        expect((await send('GET', 'people?age[$regex]=1'))[0]).toBe(400)
        expect(heard).toEqual([])
      })

      it('puts the text of SQL into its errors, which clients see in development only', async () => {
        const { people, send } = await open(name)

        await send('POST', 'people', { name: 'Ada' })

        const [status, body] = await send('POST', 'people', { name: 'Ada' })

        expect([status, body.name]).toEqual(name === 'SQLite' ? [500, 'GeneralError'] : [400, 'BadRequest'])
        expect(body.message).toMatch(/^insert into .alula_hosted. .*(?:UNIQUE constraint|unique constraint)/)
        expect(Object.keys(body).toSorted()).toEqual(['className', 'code', 'message', 'name'])

        vi.stubEnv('NODE_ENV', 'production')
        onTestFinished(() => void vi.unstubAllEnvs())

        const sentence =
          status < 500 ? 'The database has refused the call' : 'An unexpected error occurred on the server'

        expect(await send('POST', 'people', { name: 'Ada' })).toEqual([
          status,
          { name: body.name, message: sentence, code: status, className: body.className }
        ])
        expect((await send('POST', 'people', { nothing: 'secret' }))[1].message).toBe(
          name === 'SQLite' ? sentence : 'The database has refused the call'
        )
        // What the service itself says is not from the driver.
        expect(await send('GET', 'people/99')).toMatchObject([
          404,
          { message: "No record found for id '99'" }
        ])

        people.hooks({
          error: {
            all: [
              async (context: any) => {
                if (context.error[ERROR]) context.error = new BadRequest('The database refused it')
              }
            ]
          }
        })

        expect(await send('POST', 'people', { name: 'Ada' })).toMatchObject([
          400,
          { message: 'The database refused it' }
        ])
        expect((await send('GET', 'people/99'))[0]).toBe(404)
      })

      it('runs our hooks around its methods', async () => {
        const { people, send } = await open(name)
        const calls: string[] = []

        people.hooks({
          around: {
            all: [
              async ({ method }: any, next: any) => {
                calls.push(`> ${method}`)
                await next()
                calls.push(`< ${method}`)
              }
            ]
          },
          before: {
            create: [
              async (context: any) => {
                context.data = { ...context.data, age: 1 }
              }
            ]
          },
          after: {
            find: [
              async (context: any) => {
                context.result.data = context.result.data.map(({ name }: any) => name)
              }
            ]
          }
        })

        expect(await send('POST', 'people', { name: 'Ada' })).toMatchObject([201, { age: 1 }])
        expect((await send('GET', 'people'))[1].data).toEqual(['Ada'])
        expect(calls).toEqual(['> create', '< create', '> find', '< find'])
      })

      it('commits and takes back with its hooks of transactions', async () => {
        const { people, send, heard } = await open(name)
        const committed: boolean[] = []

        people.hooks({
          before: { create: [transaction.start()] },
          after: {
            create: [
              async ({ data, params }: any) => {
                params.transaction.committed.then((isCommitted: boolean) => committed.push(isCommitted))
                await people.patch(null, { age: 99 }, { query: {}, transaction: params.transaction })
                if (data.name === 'Bob') throw new Error('no Bob')
              },
              transaction.end()
            ]
          },
          error: { create: [transaction.rollback()] }
        } as any)

        expect((await send('POST', 'people', { name: 'Ada', age: 1 }))[0]).toBe(201)
        expect((await send('POST', 'people', { name: 'Bob', age: 1 }))[0]).toBe(500)
        expect(await people.find({ paginate: false })).toEqual([{ id: 1, name: 'Ada', age: 99 }])
        expect(committed).toEqual([true, false])
        expect(heard.filter((event) => event.startsWith('created'))).toEqual(['created Ada'])
      })
    },
    [SQLITE, POSTGRES]
  )
})

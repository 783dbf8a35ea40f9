import { feathers as officialFeathers } from '@feathersjs/feathers'
import rest from '@feathersjs/rest-client'
import { describe, expect, it } from 'vitest'
import { BadRequest, NotFound } from '../../src/errors.ts'
import express, { errorHandler, rest as expressRest, json, notFound } from '../../src/express.ts'
import { type Application, alula } from '../../src/index.ts'
import { serve } from '../support/server.ts'

// The official REST client of Feathers v5 against our server: in an application of Feathers, and in one of ours.

const clients: { [name: string]: () => any } = { Feathers: officialFeathers, alula }

type Connect = (configure: (app: Application) => void, customMethods?: string[]) => Promise<any>

async function start(configure: (app: Application) => void): Promise<string> {
  const app = express(alula())

  app.use(json())
  app.configure(expressRest())
  configure(app as unknown as Application)
  app.use(notFound())
  app.use(errorHandler({ logger: false }))

  return await serve(app)
}

describe.each(Object.entries(clients))(
  'the official REST client in an application of %s',
  (_name, create) => {
    const connect: Connect = async (configure, customMethods = []) => {
      // Its types are those of a CommonJS module.
      const connection = (rest as any)(await start(configure)).fetch(fetch)
      const client = create().configure(connection)

      return client.use('calculator', connection.service('calculator'), { methods: customMethods })
    }

    const echo = {
      find: async (params: any) => ({ method: 'find', query: params.query }),
      get: async (id: any, params: any) => ({ method: 'get', id, query: params.query }),
      create: async (data: any) => ({ method: 'create', data }),
      update: async (id: any, data: any) => ({ method: 'update', id, data }),
      patch: async (id: any, data: any, params: any) => ({ method: 'patch', id, data, query: params.query }),
      remove: async (id: any, params: any) => ({ method: 'remove', id, query: params.query })
    }

    it('calls all six methods', async () => {
      const client = await connect((app) => app.use('things', echo))
      const things = client.service('things')

      expect(await things.find({ query: { a: { $in: ['1', '2'] }, $sort: { b: -1 } } })).toEqual({
        method: 'find',
        query: { a: { $in: ['1', '2'] }, $sort: { b: '-1' } }
      })
      expect(await things.get('a b/c', { query: { $select: ['x'] } })).toEqual({
        method: 'get',
        id: 'a b/c',
        query: { $select: ['x'] }
      })
      expect(await things.create({ a: 1 })).toEqual({ method: 'create', data: { a: 1 } })
      expect(await things.create([{ a: 1 }, { a: 2 }])).toEqual({
        method: 'create',
        data: [{ a: 1 }, { a: 2 }]
      })
      expect(await things.update(1, { a: 2 })).toEqual({ method: 'update', id: '1', data: { a: 2 } })
      expect(await things.patch(null, { a: 3 }, { query: { b: 'c' } })).toEqual({
        method: 'patch',
        id: null,
        data: { a: 3 },
        query: { b: 'c' }
      })
      expect(await things.remove(null, { query: { b: 'c' } })).toEqual({
        method: 'remove',
        id: null,
        query: { b: 'c' }
      })
    })

    it('sends 200 values and 50 clauses', async () => {
      const client = await connect((app) => app.use('things', echo))
      const values = Array.from({ length: 200 }, (_, index) => String(index))
      const clauses = values.slice(0, 50).map((value) => ({ a: value, b: { $gt: value } }))

      expect(await client.service('things').find({ query: { a: { $in: values }, $or: clauses } })).toEqual({
        method: 'find',
        query: { a: { $in: values }, $or: clauses }
      })
    })

    it('calls custom methods', async () => {
      const client = await connect(
        (app) =>
          app.use('calculator', { add: async ({ a, b }: any) => ({ sum: a + b }) } as any, {
            methods: ['add']
          }),
        ['add']
      )

      expect(await client.service('calculator').add({ a: 1, b: 2 })).toEqual({ sum: 3 })
    })

    it('revives errors with their class and data', async () => {
      const client = await connect((app) =>
        app.use('things', {
          get: async () => {
            throw new NotFound('No such thing', { hint: 'look elsewhere', errors: { id: 'unknown' } })
          },
          create: async () => {
            throw new BadRequest('Not like this', [{ field: 'a' }])
          }
        })
      )
      const missing = await client
        .service('things')
        .get(1)
        .catch((error: unknown) => error)

      expect(missing).toMatchObject({
        name: 'NotFound',
        code: 404,
        className: 'not-found',
        message: 'No such thing',
        data: { hint: 'look elsewhere' },
        errors: { id: 'unknown' }
      })
      expect(missing.constructor.name).toBe('NotFound')

      await expect(client.service('things').create({})).rejects.toMatchObject({
        name: 'BadRequest',
        data: [{ field: 'a' }]
      })
      await expect(client.service('unknown').find()).rejects.toMatchObject({ name: 'NotFound' })
      await expect(client.service('things').remove(1)).rejects.toMatchObject({ name: 'MethodNotAllowed' })
    })

    it('gets null for an empty answer', async () => {
      const client = await connect((app) => app.use('things', { remove: async () => null as any }))

      expect(await client.service('things').remove(1)).toBeNull()
    })
  }
)

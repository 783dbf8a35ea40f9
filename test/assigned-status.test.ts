import { expect, it } from 'vitest'
import { convert, NotFound } from '../src/errors.ts'
import express, { rest } from '../src/express.ts'
import { createHandler } from '../src/fetch.ts'
import { alula } from '../src/index.ts'
import { serve } from './support/server.ts'

// Error handlers of Express, and servers behind a gateway, set `statusCode`.

it('an error takes another status code, which is not part of its JSON', () => {
  const error = new NotFound('No')

  error.statusCode = 422

  expect(error.statusCode).toBe(422)
  expect(error.code).toBe(404)
  expect(error.toJSON()).toEqual(new NotFound('No').toJSON())
  expect({ ...error }).toEqual({ ...new NotFound('No') })
  expect(new NotFound('Another').statusCode).toBe(404)

  error.statusCode = 410
  expect(error.statusCode).toBe(410)
})

it('an error body with a status code is converted', () => {
  const body = { name: 'NotFound', message: 'No', code: 404, className: 'not-found', statusCode: 418 }
  const error = convert(body)

  expect(error).toBeInstanceOf(NotFound)
  expect(error.statusCode).toBe(418)
  expect(error.toJSON()).toEqual(new NotFound('No').toJSON())
  expect(convert({ statusCode: 503, error: 'Service Unavailable', message: 'upstream' })).toMatchObject({
    statusCode: 503,
    message: 'upstream'
  })
})

it('clients get errors whose body has a status code', async () => {
  const app = alula().set('formatError', (body: object, { status }: any) => ({ ...body, statusCode: status }))

  app.use('things', { get: async () => Promise.reject(new NotFound('Gone with the wind')) })
  await app.setup()

  const response = await createHandler(app, { logger: false })(new Request('http://localhost/things/1'))

  expect(convert(await response.json())).toBeInstanceOf(NotFound)
  await expect(app.asClient().service('things').get(1)).rejects.toMatchObject({
    name: 'NotFound',
    message: 'Gone with the wind'
  })
})

it('hooks and error handlers of Express set it', async () => {
  const app = express(alula()).configure(rest())

  app.use('things', { find: async () => Promise.reject(new NotFound('No')) } as any)
  app.use('others', { find: async () => Promise.reject(new NotFound('No')) } as any)
  app.service('things').hooks({
    error: {
      all: [
        ({ error }: any) => {
          error.statusCode = 422
        }
      ]
    }
  })
  app.use((error: any, _request: any, response: any, _next: any) => {
    error.statusCode = error.statusCode || 500
    response.status(error.statusCode).json({ message: error.message })
  })

  const url = await serve(app)

  expect((await fetch(`${url}/things`)).status).toBe(422)
  expect((await fetch(`${url}/others`)).status).toBe(404)
})

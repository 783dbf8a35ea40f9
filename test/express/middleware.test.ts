import { createServer } from 'node:http'
import original from 'express'
import { expect, it, onTestFinished } from 'vitest'
import { toMiddleware } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { toUrl } from '../support/server.ts'

async function mount(prepare: (server: original.Express) => void): Promise<string> {
  const listener = original()

  prepare(listener)

  const server = createServer(listener).listen(0, '127.0.0.1')

  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => void server.close())

  return toUrl(server)
}

const app = alula()

app.use('things', {
  find: async ({ query }: any) => query,
  create: async (data: any, { headers }: any) => ({ ...data, headers: Object.keys(headers).length > 0 })
})

it('services stand under a prefix, beside what the server has', async () => {
  const url = await mount((server) => {
    server.use('/api/v2', toMiddleware(app, { logger: false }))
    server.get('/api/v2/plain', (_request, response) => void response.json('plain'))
  })

  expect(await (await fetch(`${url}/api/v2/things?a[$lt]=5`)).json()).toEqual({ a: { $lt: '5' } })
  expect(await (await fetch(`${url}/api/v2/plain`)).json()).toBe('plain')
  expect((await fetch(`${url}/things`)).status).toBe(404)
})

it('a body that the server has parsed is taken as it is', async () => {
  for (const middleware of [original.json(), (_request: any, _response: any, next: any) => next()]) {
    const url = await mount((server) => server.use(middleware, toMiddleware(app, { logger: false })))
    const response = await fetch(`${url}/things`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"a":1}'
    })

    expect([response.status, await response.json()]).toEqual([201, { a: 1, headers: true }])
  }
})

it('a log that fails does not keep the answer back', async () => {
  const failing = alula().use('things', {
    find: async () => {
      throw Object.create(null)
    }
  })
  const error = () => {
    throw new Error('no log')
  }

  for (const logger of [{ error }, { error: () => undefined }]) {
    const url = await mount((server) => server.use(toMiddleware(failing, { logger })))

    expect((await fetch(`${url}/things`)).status).toBe(500)
  }
})

it('errors are answered without the help of the server', async () => {
  const lines: string[] = []
  const failing = alula().use('things', {
    find: async () => {
      throw new Error('broken')
    }
  })
  const url = await mount((server) => {
    server.use(toMiddleware(failing, { logger: { error: (line) => lines.push(`${line.split('\n')[0]}`) } }))
  })
  const response = await fetch(`${url}/things`, { headers: { Accept: 'text/html' } })

  expect(response.status).toBe(500)
  expect(await response.json()).toMatchObject({ name: 'GeneralError', message: 'broken' })
  expect(lines).toEqual(['Error: broken'])
})

import { expect, it } from 'vitest'
import { events } from '../../src/events.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { configureLogin } from '../support/login.ts'
import { describeApp, toNames } from './support/describe.ts'

it('has the path of the events, with what a client may send, and how it logs in', async () => {
  const app = alula().configure(events({ path: '/stream' }))

  configureLogin(app)

  const { get } = (await describeApp(app)).paths['/stream']

  expect(toNames(get)).toEqual(['services[]', 'Last-Event-ID'])
  expect(Object.keys(get.responses[200].content)).toEqual(['text/event-stream'])
  expect(Object.keys(get.responses)).toEqual(['200', '400', '401', 'default'])
  expect(get.security).toEqual([{}, { jwt: [] }])
})

it('has the path of the events of a sub-application', async () => {
  const app = alula()
  const api = alula().configure(events())

  api.use('notes', memory())
  app.use('v1', api)
  expect(Object.keys((await describeApp(app)).paths)).toContain('/v1/events')
})

it('has what a mounted function says of itself, and nothing of another one', async () => {
  const app = alula()
  const operation = {
    operationId: 'ping',
    tags: [],
    summary: 'a ping',
    responses: { 204: { description: 'Fine' } }
  }

  app.mount(
    '/ping',
    Object.assign(() => new Response(null), { operations: { get: operation } })
  )
  app.mount('/other', () => new Response(null))
  expect((await describeApp(app)).paths).toEqual({ '/ping': { get: { security: [], ...operation } } })
})

it('has an operation of a mounted function without an id', async () => {
  const app = alula()
  const operation = { responses: { 204: { description: 'Fine' } } }

  for (const path of ['/ping', '/pong'])
    app.mount(
      path,
      Object.assign(() => new Response(null), { operations: { get: operation } })
    )

  const { paths } = await describeApp(app)

  expect(paths['/pong'].get).toEqual({ security: [], ...operation })
})

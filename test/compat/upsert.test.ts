import officialRest from '@feathersjs/rest-client'
import { describe, expect, it } from 'vitest'
import { rest as ownRest } from '../../src/client.ts'
import express, { errorHandler, rest } from '../../src/express.ts'
import { type Application, alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { serve } from '../support/server.ts'
import { connectSocket } from '../support/sockets.ts'
import { clients, record, socketClient, start } from './socketio-clients.ts'

// `upsert` is a custom method for the official clients, and for ours.

function addAccounts(app: Application<any>): void {
  app.use('accounts', memory({ upsert: { by: ['email'] } }), { methods: ['find', 'create', 'upsert'] })
}

/** A server over HTTP. */
async function startRest(): Promise<string> {
  const app = express(alula())

  app.configure(rest())
  addAccounts(app as unknown as Application)
  app.use(errorHandler({ logger: false }))

  return await serve(app)
}

/** What connects to a server. Types of the official ones are those of a CommonJS module. */
const connections: { [name: string]: () => Promise<any> } = {
  'the official REST client': async () => (officialRest as any)(await startRest()).fetch(fetch),
  'our REST client': async () => ownRest(await startRest()).fetch(fetch),
  'the official client for sockets': async () => socketClient(await connectSocket(await start(addAccounts)))
}

describe.each(Object.entries(connections))('through %s', (_name, connect) => {
  it.each(Object.entries(clients))('%s creates and patches', async (_client, create) => {
    const connection = await connect()
    const client = create().configure(connection)

    client.use('accounts', connection.service('accounts'), { methods: ['find', 'create', 'upsert'] })

    const accounts = client.service('accounts')

    expect(await accounts.upsert({ email: 'ada@x.org', name: 'Ada' })).toEqual({
      id: 0,
      email: 'ada@x.org',
      name: 'Ada'
    })
    expect(await accounts.upsert({ email: 'ada@x.org', age: 36 }, { query: { $select: ['age'] } })).toEqual({
      id: 0,
      age: 36
    })
    await expect(accounts.upsert({ name: 'Ada' })).rejects.toMatchObject({
      name: 'BadRequest',
      errors: { email: 'is required' }
    })
    await expect(accounts.create({ email: 'ada@x.org' })).rejects.toMatchObject({ name: 'Conflict' })
    expect(await accounts.find()).toEqual([{ id: 0, email: 'ada@x.org', name: 'Ada', age: 36 }])
  })
})

it('sockets get the events of what happened', async () => {
  const url = await start(addAccounts)
  const [caller, other] = [socketClient(await connectSocket(url)), socketClient(await connectSocket(url))]
  const sent = record(other.service('accounts'), 'created', 'patched', 'updated')
  const accounts = caller.service('accounts').methods('upsert')

  await accounts.upsert({ email: 'ada@x.org' })
  await accounts.upsert({ email: 'ada@x.org', age: 36 })
  await expect.poll(() => sent.length).toBe(2)
  expect(sent).toEqual([
    ['created', { id: 0, email: 'ada@x.org' }],
    ['patched', { id: 0, email: 'ada@x.org', age: 36 }]
  ])
})

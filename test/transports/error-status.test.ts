import { feathers } from '@feathersjs/feathers'
import restClient from '@feathersjs/rest-client'
import socketClient from '@feathersjs/socketio-client'
import { createTestClient } from 'alula-testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { alula as createClient, rest as createRest } from '../../src/client.ts'
import {
  BadRequest,
  Conflict,
  errors,
  NotAuthenticated,
  NotFound,
  TooManyRequests
} from '../../src/errors.ts'
import express, { errorHandler, rest } from '../../src/express.ts'
import { type Application, alula } from '../../src/index.ts'
import { socketio } from '../../src/socketio.ts'
import { serve } from '../support/server.ts'
import { connectSocket } from '../support/sockets.ts'
import { describeHttpTransports, describeRemoteTransports } from '../support/transports.ts'

const STATUSES = { BadRequest: 422, Conflict: 422, NotFound: 410, GeneralError: 502 }

const thrown: { [id: string]: unknown } = {
  bad: new BadRequest('Bad', { errors: { text: 'is required' } }),
  taken: new Conflict('Taken'),
  gone: new NotFound('Gone'),
  login: new NotAuthenticated('Who?'),
  often: new TooManyRequests('Wait'),
  plain: new Error('Broken'),
  // Middleware has chosen this status itself.
  chosen: Object.assign(new Error('Expectation'), { expose: true, status: 417 })
}

function useFailing(app: Application) {
  app.set('errorStatus', STATUSES)
  app.use('things', {
    get: async (id: any) => {
      throw thrown[id]
    }
  })
}

describeRemoteTransports('errorStatus', (open) => {
  it('decides on the status by the name of the error', async () => {
    const { fail } = await open(useFailing)

    for (const [id, name, code] of [
      ['bad', 'BadRequest', 422],
      ['taken', 'Conflict', 422],
      ['gone', 'NotFound', 410],
      ['login', 'NotAuthenticated', 401],
      ['often', 'TooManyRequests', 429],
      ['plain', 'GeneralError', 502],
      ['chosen', 'BadRequest', 417]
    ] as const) {
      expect(await fail('get', 'things', { id })).toMatchObject({ name, code })
    }

    // Errors of the transport too.
    expect(await fail('find', 'things')).toMatchObject({ name: 'MethodNotAllowed', code: 405 })
  })

  it('leaves the error as it is, and decides before formatError', async () => {
    const seen: unknown[] = []
    const { fail } = await open((app) => {
      useFailing(app)
      app.set('formatError', (body: any, { status, error }: any) => {
        seen.push(status, error.code)

        return body
      })
      app.hooks({ error: { all: [({ error }) => void seen.push(error.code)] } })
    })

    expect(await fail('get', 'things', { id: 'bad' })).toMatchObject({ code: 422 })
    expect(seen).toEqual([400, 422, 400])
  })
})

describeHttpTransports('errorStatus', (open) => {
  it('is the status of the response to a body that is no JSON', async () => {
    const { request } = await open((app) => {
      app.set('errorStatus', STATUSES)
      app.use('things', { create: async () => ({}) })
    })
    const response = await request('/things', {
      method: 'POST',
      body: '{',
      headers: { 'Content-Type': 'application/json' }
    })

    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({ name: 'BadRequest', code: 422 })
  })
})

describe('errorStatus', () => {
  it('is what test clients and pages of Express see', async () => {
    const app: any = express(alula())

    app.configure(rest())
    useFailing(app)
    app.use(errorHandler({ logger: false }))

    const url = await serve(app)
    const page = await fetch(`${url}/things/taken`, { headers: { Accept: 'text/html' } })

    expect([page.status, await page.text()]).toEqual([422, expect.stringContaining('422 Conflict')])
    expect((await createTestClient(app).fetch('/things/taken')).status).toBe(422)
    expect((await createTestClient(app).fetch('/nowhere')).status).toBe(410)
  })

  it('leaves clients the class of the error', async () => {
    const app: any = alula()

    app.configure(socketio({ logger: false }))
    useFailing(app)

    const url = await serve(app)
    const server = alula()

    useFailing(server)
    await server.setup()

    const socket = await connectSocket(url)
    const toFetch = (path: string, init: any) => createTestClient(server).fetch(path, init)
    const clients: [any, string][] = [
      [feathers().configure((restClient as any)('').fetch(toFetch as any)), 'official, over REST'],
      [feathers().configure((socketClient as any)(socket)), 'official, over a socket'],
      [createClient().configure(createRest('').fetch(toFetch as any)), 'ours']
    ]

    onTestFinished(() => void socket.close())

    for (const [client, title] of clients) {
      const error = await client
        .service('things')
        .get('taken')
        .catch((reason: unknown) => reason)

      expect(error, title).toMatchObject({ name: 'Conflict', code: 422, className: 'conflict' })
    }
    await expect((clients[2] as any)[0].service('things').get('taken')).rejects.toThrow(errors.Conflict)
  })

  it.each<[object, string]>([
    [
      { BadRequst: 422 },
      "Unknown option 'BadRequst' of the setting 'errorStatus'. Did you mean 'BadRequest'?"
    ],
    [{ FeathersError: 422 }, "Unknown option 'FeathersError' of the setting 'errorStatus'"],
    [{ 400: 422 }, "Unknown option '400' of the setting 'errorStatus'"],
    [
      { NotAuthenticated: 403 },
      "Invalid option 'NotAuthenticated' of the setting 'errorStatus': expected it to be left out, because clients act on 401, 405 and 429, got 403"
    ],
    [{ MethodNotAllowed: 404 }, 'clients act on 401, 405 and 429'],
    [{ TooManyRequests: 503 }, 'clients act on 401, 405 and 429'],
    [
      { Forbidden: 401 },
      'expected a status from 400 to 599, but not 401, 405 or 429, on which clients act, got 401'
    ],
    [{ Conflict: 405 }, 'not 401, 405 or 429'],
    [{ Conflict: 429 }, 'not 401, 405 or 429'],
    [{ Conflict: 200 }, 'a status from 400 to 599'],
    [{ Conflict: '422' }, 'a status from 400 to 599'],
    [[422], "Invalid options of the setting 'errorStatus': expected an object"]
  ])('refuses the start with %j', async (statuses, message) => {
    for (const app of [alula(), express(alula())] as any[]) {
      app.set('errorStatus', statuses)

      await expect(app.setup()).rejects.toThrow(message)
    }
  })
})

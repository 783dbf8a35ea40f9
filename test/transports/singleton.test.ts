import { EventEmitter, once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { access, anyone, user } from '../../src/access.ts'
import type { Application } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { configureUsers, logIn } from '../access/support/application.ts'
import {
  describeHttpTransports,
  describeRemoteTransports,
  describeSocketTransports,
  type OpenTransport
} from '../support/transports.ts'

const Profile = z.object({ id: z.int(), name: z.string(), secret: z.string().optional() })

class Profiles {
  async rename(): Promise<object> {
    return { isRenamed: true }
  }
}

async function openProfile(open: OpenTransport, options: object = {}) {
  let app!: Application
  const service = Object.assign(
    memory({
      multi: true,
      store: { 1: { id: 1, name: 'ada', secret: 'x' }, 2: { id: 2, name: 'grace', secret: 'y' } }
    }),
    { rename: new Profiles().rename, mark: new Profiles().rename }
  )
  const client = await open((opened) => {
    app = opened
    app.configure(configureUsers)
    app.use('user', service, {
      singleton: ({ user: caller }) => caller?.id,
      schema: schema(Profile, { hidden: ['secret'] }),
      access: access({ all: user }),
      ...options
    })
  })

  await app.setup()

  const { ada, grace, root } = await logIn(app)
  const as = (login: { accessToken: string }) => ({
    headers: { Authorization: `Bearer ${login.accessToken}` }
  })

  return { app, ...client, ada: as(ada), grace: as(grace), root: as(root), stored: app.service('user') }
}

describeRemoteTransports('a singleton', (open) => {
  it('is one record for each caller, without an id', async () => {
    const { call, fail, ada, grace, root, stored } = await openProfile(open)
    const id = null

    expect(await call('get', 'user', { id, ...ada })).toEqual({ id: 1, name: 'ada' })
    expect(await call('get', 'user', { id, query: { $select: ['name'] }, ...grace })).toEqual({
      id: 2,
      name: 'grace'
    })
    expect(await call('patch', 'user', { id, data: { name: 'a' }, ...ada })).toEqual({ id: 1, name: 'a' })
    expect(await call('update', 'user', { id, data: { id: 1, name: 'b' }, ...ada })).toEqual({
      id: 1,
      name: 'b'
    })
    expect(await fail('patch', 'user', { id, data: { id: 2, name: 'b' }, ...ada })).toMatchObject({
      code: 400
    })
    expect(await fail('get', 'user', { id })).toMatchObject({ code: 401 })
    // There is a user, and no record of theirs.
    expect(await fail('get', 'user', { id, ...root })).toMatchObject({ code: 404 })
    expect(await call('remove', 'user', { id, ...ada })).toMatchObject({ id: 1 })
    expect(await fail('get', 'user', { id, ...ada })).toMatchObject({ code: 404 })
    expect(await stored.find()).toEqual([{ id: 2, name: 'grace', secret: 'y' }])
  })

  it('is a 404 where the function returns nothing, also once it is known', async () => {
    const options = {
      singleton: async ({ user: caller }: any) => caller?.id ?? null,
      access: access({ all: anyone })
    }
    const { call, fail, ada } = await openProfile(open, options)

    expect(await fail('get', 'user', { id: null })).toMatchObject({ code: 404 })
    expect(await fail('patch', 'user', { id: null, data: { name: 'x' } })).toMatchObject({ code: 404 })
    expect(await call('get', 'user', { id: null, ...ada })).toMatchObject({ id: 1 })
  })

  it('is held to the rule of access', async () => {
    const { call, fail, ada, grace } = await openProfile(open, {
      access: access({ get: user, patch: () => ({ name: 'ada' }) })
    })

    expect(await call('patch', 'user', { id: null, data: {}, ...ada })).toMatchObject({ id: 1 })
    expect(await fail('patch', 'user', { id: null, data: {}, ...grace })).toMatchObject({ code: 403 })
  })

  it('comes in an envelope', async () => {
    const declared = schema(Profile, { hidden: ['secret'], envelope: { one: 'user', request: true } })
    const { call, fail, ada } = await openProfile(open, { schema: declared })
    const id = null

    expect(await call('get', 'user', { id, ...ada })).toEqual({ user: { id: 1, name: 'ada' } })
    expect(await call('patch', 'user', { id, data: { user: { name: 'A' } }, ...ada })).toEqual({
      user: { id: 1, name: 'A' }
    })
    expect(await fail('patch', 'user', { id, data: { name: 'B' }, ...ada })).toMatchObject({ code: 400 })
  })

  it('has custom methods', async () => {
    const { call, ada } = await openProfile(open, { methods: ['get', 'rename'] })

    expect(await call('rename', 'user', { data: {}, ...ada })).toEqual({ isRenamed: true })
  })

  it('sends events with the record', async () => {
    const { call, ada, stored } = await openProfile(open)
    const events: unknown[] = []

    stored.on('patched', (record: any) => events.push(record.id))
    await call('patch', 'user', { id: null, data: { name: 'x' }, ...ada })

    expect(events).toEqual([1])
  })
})

describeHttpTransports('the path of a singleton', (open) => {
  it('has no id and no POST, and its routes', async () => {
    const { request, ada } = await openProfile(open, {
      methods: ['get', 'patch', 'rename', 'mark'],
      routes: { 'POST /marks': 'mark', 'GET /:color/marks': 'mark' }
    })
    const toStatus = async (method: string, path: string, init: RequestInit = {}) =>
      (await request(path, { method, ...ada, ...init })).status

    expect(await toStatus('GET', '/user')).toBe(200)
    expect(await toStatus('HEAD', '/user')).toBe(200)
    expect(await toStatus('POST', '/user')).toBe(404)
    expect(await toStatus('POST', '/user/marks')).toBe(200)
    expect(await toStatus('GET', '/user/red/marks')).toBe(200)
    expect(await toStatus('POST', '/user/rename')).toBe(200)
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      expect(await toStatus(method, '/user/1'), method).toBe(404)
      expect(await toStatus(method, '/user/2/3'), method).toBe(404)
    }

    const refused = await request('/user', { method: 'PUT', ...ada })

    expect(refused.status).toBe(405)
    expect(refused.headers.get('Allow')).toBe('GET, HEAD, PATCH, POST')
  })

  it('takes If-Match', async () => {
    const { request, ada, stored } = await openProfile(open)
    const first = await request('/user', ada)
    const tag = String(first.headers.get('ETag'))
    const patch = (name: string) =>
      request('/user', {
        method: 'PATCH',
        headers: { ...ada.headers, 'Content-Type': 'application/json', 'If-Match': tag },
        body: JSON.stringify({ name })
      })

    const statuses = (await Promise.all([patch('one'), patch('two')])).map(({ status }) => status)

    expect(statuses.toSorted()).toEqual([200, 412])
    expect(await stored.get(2)).toMatchObject({ name: 'grace' })
  })
})

describeHttpTransports('If-Match of a singleton', (open) => {
  it('waits for no other caller', async () => {
    const { request, ada, grace, stored } = await openProfile(open)
    const steps = new EventEmitter()
    const [isSlow, isReleased] = [once(steps, 'slow'), once(steps, 'released')]
    const patch = async (caller: typeof ada) => {
      const tag = String((await request('/user', caller)).headers.get('ETag'))
      const response = await request('/user', {
        method: 'PATCH',
        headers: { ...caller.headers, 'Content-Type': 'application/json', 'If-Match': tag },
        body: JSON.stringify({ name: 'new' })
      })

      return response.status
    }

    // Also where the test fails.
    onTestFinished(() => void steps.emit('released'))
    stored.hooks({
      before: {
        patch: [
          async ({ id }: any) => {
            if (id !== 1) return

            steps.emit('slow')
            await isReleased
          }
        ]
      }
    })

    const slow = patch(ada)

    await isSlow
    expect(await patch(grace)).toBe(200)
    steps.emit('released')
    expect(await slow).toBe(200)
  })

  it('is a 412 where the caller has no record, and needs a get', async () => {
    const { request, root } = await openProfile(open)
    const { request: requestOther, ada } = await openProfile(open, { methods: ['patch'] })
    const init = (caller: typeof ada, tag: string) => ({
      method: 'PATCH',
      headers: { ...caller.headers, 'Content-Type': 'application/json', 'If-Match': tag },
      body: JSON.stringify({ name: 'new' })
    })

    expect((await request('/user', init(root, '*'))).status).toBe(412)
    expect((await requestOther('/user', init(ada, '"x"'))).status).toBe(412)
    expect((await requestOther('/user', init(ada, '*'))).status).toBe(200)
  })
})

describeSocketTransports('a singleton', (open) => {
  it('takes the id that it has, and no other', async () => {
    const { call, fail, ada } = await openProfile(open)

    expect(await call('get', 'user', { id: 1, ...ada })).toMatchObject({ id: 1 })
    expect(await fail('get', 'user', { id: 2, ...ada })).toMatchObject({ code: 404 })
    expect(await fail('remove', 'user', { id: '2', ...ada })).toMatchObject({ code: 404 })
    expect(await fail('find', 'user', ada)).toMatchObject({ code: 405 })
    expect(await fail('create', 'user', { data: { name: 'x' }, ...ada })).toMatchObject({ code: 405 })
  })
})

describe('internal calls of a singleton', () => {
  it('take the id', async () => {
    const { stored } = await openProfile(async (configure) => {
      const { alula } = await import('../../src/index.ts')

      configure(alula())

      return {} as any
    })

    expect(await stored.get(2)).toMatchObject({ name: 'grace' })
    expect(await stored.patch(null, { name: 'all' })).toHaveLength(2)
    expect(await stored.create({ name: 'new' })).toMatchObject({ name: 'new' })
    expect(await stored.find()).toHaveLength(3)
  })
})

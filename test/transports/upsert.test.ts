import { expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone, owner, role, user } from '../../src/access.ts'
import { protect } from '../../src/authentication.ts'
import type { Application } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { many, onWrite, schema } from '../../src/schema.ts'
import { configureUsers, logIn } from '../access/support/application.ts'
import {
  describeHttpTransports,
  describeRemoteTransports,
  describeTransports,
  type OpenTransport
} from '../support/transports.ts'

const SENTINEL = 'sentinel-of-somebody-else'
const METHODS = ['find', 'get', 'create', 'patch', 'upsert']

const Account = z.object({
  id: z.int(),
  email: z.email(),
  name: z.string().min(1),
  secret: z.string().optional(),
  ownerId: z.int(),
  writes: z.int()
})

const declared = (settings: object = {}) =>
  schema(Account, {
    hidden: ['secret'],
    server: {
      ownerId: ({ params }: any) => params.user?.id ?? 0,
      writes: onWrite(({ method }: any) => (method === 'create' ? 1 : 2))
    },
    ...settings
  })

const store = () => ({
  7: { id: 7, email: 'grace@x.org', name: SENTINEL, secret: 's', ownerId: 2, writes: 1 }
})

/** Opens a service of accounts with a key. */
async function openAccounts(
  open: OpenTransport,
  options: object = {},
  adapter: object = {},
  configure: (app: Application) => void = () => undefined
) {
  let app!: Application<any>
  const events: unknown[] = []
  const client = await open((opened) => {
    app = opened
    app.configure(configureUsers)
    app.use('accounts', memory({ store: store(), upsert: { by: ['email'] }, startId: 20, ...adapter }), {
      methods: METHODS,
      ...options
    })
    configure(app)
    for (const event of ['created', 'patched', 'updated'])
      app.service('accounts').on(event, (record: any, context: any) => {
        events.push([event, context.method, record.name])
      })
  })
  const upsert = (data: unknown, more: object = {}) => client.call('upsert', 'accounts', { data, ...more })
  const refuse = (data: unknown, more: object = {}) => client.fail('upsert', 'accounts', { data, ...more })

  return { client, app, events, upsert, refuse, accounts: app.service('accounts') as any }
}

describeTransports('upsert', (open) => {
  it('creates or patches, with the event and the hooks of what happens', async () => {
    const { upsert, events, accounts } = await openAccounts(open)
    const seen: unknown[] = []
    const note = ({ method, type, data, id }: any) => void seen.push([type, method, { ...data }, id])

    accounts.hooks({ before: { all: [note] } })

    const created = await upsert({ email: 'ada@x.org', name: 'Ada' })
    const patched = await upsert({ email: 'ada@x.org', name: 'Ada L.' })

    expect(created).toEqual({ id: 20, email: 'ada@x.org', name: 'Ada' })
    expect(patched).toEqual({ ...created, name: 'Ada L.' })
    expect(events).toEqual([
      ['created', 'create', 'Ada'],
      ['patched', 'patch', 'Ada L.']
    ])
    expect(seen).toEqual([
      ['before', 'upsert', { email: 'ada@x.org', name: 'Ada' }, undefined],
      ['before', 'create', { email: 'ada@x.org', name: 'Ada' }, undefined],
      ['before', 'upsert', { email: 'ada@x.org', name: 'Ada L.' }, undefined],
      ['before', 'patch', { name: 'Ada L.' }, 20]
    ])
  })

  it('refuses data without the key, and lists', async () => {
    const { refuse, accounts } = await openAccounts(open)

    for (const data of [
      { name: 'x' },
      { email: null },
      { email: '' },
      { email: { $ne: null } },
      { email: ['a'] }
    ]) {
      expect(await refuse(data)).toMatchObject({ code: 400, errors: { email: 'is required' } })
    }
    expect(await refuse([{ email: 'ada@x.org' }])).toMatchObject({
      code: 400,
      message: 'Invalid data: upsert expects an object, got an array'
    })
    expect(await accounts.find()).toHaveLength(1)
  })

  it('takes the data of create, and sets the fields of the server by what happens', async () => {
    const { upsert, refuse } = await openAccounts(open, { schema: declared() })
    const secret = { email: 'ada@x.org', name: 'Ada', secret: 'x' }

    expect(await upsert(secret)).toMatchObject({ id: 20, writes: 1 })
    expect(await upsert({ email: 'ada@x.org', name: 'Ada' })).toMatchObject({ id: 20, writes: 2 })
    // Whether or not the record is there.
    for (const email of ['ada@x.org', 'new@x.org']) {
      expect(await refuse({ email })).toMatchObject({ code: 400, errors: { name: expect.any(String) } })
      expect(await refuse({ email, name: '' })).toMatchObject({ code: 400 })
      expect(await refuse({ email, name: 'A', other: 1 })).toMatchObject({ code: 400 })
    }
  })

  it('finds the record by what its hooks make of the key', async () => {
    const { upsert, accounts } = await openAccounts(open)

    accounts.hooks({
      before: {
        upsert: [
          (context: any) => {
            context.data = { ...context.data, email: context.data.email.toLowerCase() }
          }
        ]
      }
    })
    await upsert({ email: 'ADA@x.org', name: 'Ada' })
    expect(await upsert({ email: 'Ada@X.org', name: 'Ada L.' })).toEqual({
      id: 20,
      email: 'ada@x.org',
      name: 'Ada L.'
    })
  })

  it('makes one record of fifty calls at once', async () => {
    const { upsert, events, accounts } = await openAccounts(open)

    // Hooks that wait: others come between what is found and what is written.
    accounts.hooks({
      before: { create: [() => new Promise(setImmediate)], patch: [() => new Promise(setImmediate)] }
    })
    await Promise.all(
      Array.from({ length: 50 }, (_, age) => upsert({ email: 'ada@x.org', name: 'Ada', age }))
    )
    expect(await accounts.find({ query: { email: 'ada@x.org' } })).toHaveLength(1)
    expect(events.filter(([event]: any) => event === 'created')).toHaveLength(1)
    expect(events).toHaveLength(50)
  })
})

describeRemoteTransports('upsert of clients', (open) => {
  it('is theirs where methods lists it', async () => {
    for (const methods of [['find'], METHODS.slice(0, -1)]) {
      const { refuse } = await openAccounts(open, { methods })

      expect(await refuse({ email: 'ada@x.org' })).toMatchObject({ code: 405 })
    }
  })

  it('cannot be told another key', async () => {
    const { refuse, client, accounts } = await openAccounts(open)
    const query = { by: ['name'], upsert: { by: ['name'] }, $by: 'name' }

    await client.call('upsert', 'accounts', { data: { email: 'a@x.org', name: SENTINEL } })
    await refuse({ name: SENTINEL, upsert: { by: ['name'] } }, { query: '' })
    await client.fail('upsert', 'accounts', { data: { name: SENTINEL, age: 1 }, query })
    expect(await accounts.get(7)).toEqual(store()[7])
  })

  it('shows what the schema and hooks show', async () => {
    const { upsert } = await openAccounts(open, { schema: declared() })
    const other = await openAccounts(open)
    const data = { email: 'grace@x.org', name: 'Grace', secret: 'x' }

    other.accounts.hooks({ after: { all: [protect('secret')] } })
    expect(await upsert(data)).toEqual({ id: 7, email: 'grace@x.org', name: 'Grace', ownerId: 2, writes: 2 })
    expect(await other.upsert(data)).not.toHaveProperty('secret')
    expect(await other.upsert({ ...data, email: 'new@x.org' })).not.toHaveProperty('secret')
  })

  it('has envelopes, $select and included records', async () => {
    const envelope = { one: 'account', many: 'accounts', request: true }
    const { client } = await openAccounts(
      open,
      {
        schema: declared({ envelope, relations: { notes: many('notes', { to: 'accountId' }) } })
      },
      {},
      (app) => {
        app.use('notes', memory({ store: { 1: { id: 1, accountId: 7 } } }))
      }
    )
    const account = { email: 'grace@x.org', name: 'Grace' }
    const call = (query: object, data: object = account) =>
      client.call('upsert', 'accounts', { data: { account: data }, query })

    expect(await call({ $select: ['name'] })).toEqual({ account: { id: 7, name: 'Grace' } })
    expect(await call({ $include: 'notes', $select: ['id'] })).toEqual({
      account: { id: 7, notes: [{ id: 1, accountId: 7 }] }
    })
    expect(await call({ $select: ['name'] }, { ...account, email: 'new@x.org' })).toEqual({
      account: { id: 20, name: 'Grace' }
    })
    expect(await client.fail('upsert', 'accounts', { data: { account: { email: 'x' } } })).toMatchObject({
      errors: { 'account.email': expect.any(String) }
    })
  })

  it('of a service with a parent has the field of the path in its key', async () => {
    const { client, app } = await openAccounts(open, {}, {}, (opened) => {
      opened.use('accounts/:account/tags', memory({ upsert: { by: ['accountId', 'name'] } }), {
        parent: { accountId: 'accounts' },
        methods: ['find', 'upsert']
      })
    })
    const path = (id: number) => `accounts/${id}/tags`
    const tag = (id: number, count: number) =>
      client.call('upsert', path(id), { data: { name: 'red', count } })

    await app.service('accounts').create({ id: 8, email: 'b@x.org' })
    expect(await tag(7, 1)).toMatchObject({ id: 0, accountId: 7 })
    expect(await tag(8, 2)).toMatchObject({ id: 1, accountId: 8 })
    expect(await tag(7, 3)).toEqual({ id: 0, accountId: 7, name: 'red', count: 3 })
    expect(await client.fail('upsert', path(9), { data: { name: 'red' } })).toMatchObject({ code: 404 })
  })
})

describeRemoteTransports('access of upsert', (open) => {
  /** Opens accounts whose rules are given, and logs two users in: the record in the store is that of the second. */
  async function openOwned(rules: object) {
    const opened = await openAccounts(open, {
      schema: declared(),
      access: access({ upsert: anyone, ...rules })
    })
    const { ada, grace } = await logIn(opened.app)
    const headersOf = ({ accessToken }: any) => ({ headers: { Authorization: `Bearer ${accessToken}` } })

    return { ...opened, ada: headersOf(ada), grace: headersOf(grace) }
  }
  const taken = { email: 'grace@x.org', name: 'New' }
  const free = { email: 'free@x.org', name: 'New' }

  /** An error without what differs from one call to the next. */
  const toComparable = (error: any) =>
    JSON.parse(JSON.stringify(error).replaceAll(/(grace|free)@x\.org/g, '…'))

  it('is that of what happens', async () => {
    const { upsert, refuse, ada, grace, accounts } = await openOwned({
      create: user,
      patch: owner('ownerId')
    })

    expect(await refuse(free)).toMatchObject({ code: 401 })
    expect(await upsert(free, ada)).toMatchObject({ ownerId: 1, writes: 1 })
    expect(await upsert(free, ada)).toMatchObject({ ownerId: 1, writes: 2 })
    expect(await upsert(taken, grace)).toMatchObject({ id: 7, ownerId: 2, name: 'New' })
    expect((await accounts.get(7)).name).toBe('New')
  })

  it('asks its own rule first, and is closed without one', async () => {
    const { refuse, ada } = await openOwned({ create: anyone, patch: anyone, upsert: role('admin') })
    const { refuse: refuseAll } = await openAccounts(open, {
      access: access({ create: anyone, patch: anyone })
    })

    expect(await refuse(free, ada)).toMatchObject({ code: 403 })
    expect(await refuseAll(free)).toMatchObject({ code: 401 })
  })

  it('is a taken key of create for a record that the caller may not see', async () => {
    for (const get of [owner('ownerId'), role('admin')]) {
      const { refuse, client, ada, accounts } = await openOwned({
        create: user,
        patch: owner('ownerId'),
        get
      })
      const refused = await refuse(taken, ada)

      expect(refused).toEqual(await client.fail('create', 'accounts', { data: taken, ...ada }))
      expect(refused).toMatchObject({ code: 409, errors: { email: 'is taken' } })
      expect(JSON.stringify(refused)).not.toMatch(new RegExp(`${SENTINEL}|7`))
      expect(await accounts.get(7)).toEqual(store()[7])
    }
  })

  it('says that a record which the caller may see is not theirs to change', async () => {
    const { refuse, ada } = await openOwned({ create: user, patch: owner('ownerId'), get: user })

    expect(await refuse(taken, ada)).toMatchObject({
      code: 403,
      message: "You may not patch this record of 'accounts'"
    })
  })

  it('tells a caller who may not create nothing of the records of others', async () => {
    const sent = [{}, { name: '' }, { name: 7 }, { name: 'x', other: 1 }, { ownerId: 2 }, { name: 'New' }]

    for (const rules of [
      { create: role('admin'), patch: owner('ownerId') },
      { create: role('admin'), patch: role('admin') },
      { patch: user, get: owner('ownerId'), create: role('admin') },
      { patch: owner('ownerId'), get: owner('ownerId') }
    ]) {
      const { refuse, ada, accounts } = await openOwned({
        ...rules,
        ...(rules.patch === user && { patch: owner('ownerId') })
      })

      for (const data of sent) {
        for (const headers of [ada, {}]) {
          expect(toComparable(await refuse({ ...data, email: taken.email }, headers))).toEqual(
            toComparable(await refuse({ ...data, email: free.email }, headers))
          )
        }
      }
      expect(await accounts.find()).toEqual([store()[7]])
    }
  })

  it('lets a caller who may only patch do so', async () => {
    const { upsert, refuse, grace } = await openOwned({ patch: owner('ownerId') })

    expect(await upsert(taken, grace)).toMatchObject({ id: 7, name: 'New' })
    expect(await refuse(free, grace)).toMatchObject({ code: 403 })
  })
})

describeHttpTransports('the status of upsert', (open) => {
  it('is 201 for a new record, and 200 for one that was there', async () => {
    const statuses: number[] = []
    const post = async (client: { request: any }, path: string, email: string) => {
      const { status } = await client.request(path, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          ...(path === '/accounts' && { 'X-Service-Method': 'upsert' })
        },
        body: JSON.stringify({ email, name: 'New' })
      })

      statuses.push(status)
    }
    const { client } = await openAccounts(open)
    const chosen = await openAccounts(open, { schema: declared({ status: { upsert: 202 } }) })
    const hooked = await openAccounts(open)

    hooked.accounts.hooks({
      after: {
        upsert: [
          (context: any) => {
            context.http = { status: 207 }
          }
        ]
      }
    })
    for (const path of ['/accounts', '/accounts/upsert']) {
      await post(client, path, `${path.length}@x.org`)
      await post(client, path, `${path.length}@x.org`)
    }
    await post(chosen.client, '/accounts/upsert', 'new@x.org')
    await post(hooked.client, '/accounts/upsert', 'new@x.org')
    expect(statuses).toEqual([201, 200, 201, 200, 202, 207])
  })

  it('is that of a route too', async () => {
    const { client } = await openAccounts(open, { routes: { 'PUT /by-key': 'upsert' } })
    const put = async () => {
      const { status } = await client.request('/accounts/by-key', {
        method: 'PUT',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ email: 'ada@x.org' })
      })

      return status
    }

    expect([await put(), await put()]).toEqual([201, 200])
  })
})

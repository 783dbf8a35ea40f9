// `access` admits users of the default authentication service. A hook that names another service once took them for its own users.
import { expect, it, onTestFinished } from 'vitest'
import { access, anyone, user } from '../../src/access.ts'
import { AuthenticationService, authenticate, createStrategy } from '../../src/authentication.ts'
import { NotAuthenticated } from '../../src/errors.ts'
import { alula, asCaller } from '../../src/index.ts'
import { SECRET } from '../authentication/app.ts'
import { describeRemoteTransports } from '../support/transports.ts'

const staffOnly = authenticate({ service: 'staff', strategies: ['key'] })
const SALARIES = { find: async ({ staff }: any) => ({ staff }) }

/** An authentication service with keys. Its strategy keeps none on the params, as that of the guide. */
function addKeys(app: any, path: string, keys: readonly unknown[]): void {
  app.set(path, { secret: `${SECRET} of ${path}`, entity: null, authStrategies: ['key'] })

  const authentication = new AuthenticationService(app, path)

  authentication.register(
    'key',
    createStrategy(({ name }) => ({
      parse: async ({ headers }) => (headers['x-key'] ? { strategy: name, key: headers['x-key'] } : null),
      authenticate: async ({ key }) => {
        if (!keys.includes(key)) throw new NotAuthenticated('Invalid key')

        return { authentication: { strategy: name }, [path]: key }
      }
    }))
  )
  app.use(path, authentication)
}

/** Customers are those of the default service. The strategy of the staff accepts a missing key too. */
function configure(app: any): void {
  addKeys(app, 'customers', ['customer', 'both'])
  addKeys(app, 'staff', ['employee', 'both', undefined])
  app.use('payroll', SALARIES, { access: access({ find: user }) })
  app.use('news', SALARIES, { access: access({ find: anyone }) })
  app.use('salaries', SALARIES, { methods: ['find'] })
  app.use(
    'orders',
    { find: (params: any) => app.service('salaries').find(asCaller(params)) },
    {
      access: access({ find: user })
    }
  )
  app.use(
    'reports',
    { find: (params: any) => app.service('salaries').find({ ...params, provider: undefined }) },
    { access: access({ find: user }) }
  )

  for (const path of ['payroll', 'salaries']) app.service(path).hooks({ before: { find: [staffOnly] } })

  app.service('news').hooks({
    before: { find: [authenticate({ service: 'staff', strategies: ['key'], optional: true })] }
  })
}

describeRemoteTransports('a hook of a second authentication service', (open) => {
  it('lets in no users of the default one, whom access has admitted', async () => {
    const client = await open(configure)
    const find = (path: string, key: string) => client.call('find', path, { headers: { 'X-Key': key } })
    const refuse = async (path: string, key: string) =>
      expect(await client.fail('find', path, { headers: { 'X-Key': key } }), path).toMatchObject({
        code: 401
      })

    for (const path of ['payroll', 'news', 'orders']) {
      await refuse(path, 'customer')
      await refuse(path, 'employee')
      // What the second service has found, by the key that the client has sent.
      expect(await find(path, 'both')).toEqual({ staff: 'both' })
    }

    await refuse('salaries', 'customer')
    // A connection with a key begins only if the default service accepts it.
    if (client.provider === 'rest') expect(await find('salaries', 'employee')).toEqual({ staff: 'employee' })
    expect(await client.call('find', 'news')).toEqual({})
    expect(await find('reports', 'customer')).toEqual({})
  })
})

it('so does that of a sub-application with its own users', async () => {
  const app: any = alula()
  const inner: any = alula()

  addKeys(app, 'customers', ['customer', 'both'])
  addKeys(inner, 'staff', ['employee', 'both'])
  inner.use('salaries', SALARIES, { methods: ['find'] })
  inner.service('salaries').hooks({ before: { find: [authenticate('key')] } })
  app.use('inner', inner)
  app.use(
    'orders',
    { find: (params: any) => app.service('inner/salaries').find(asCaller(params)) },
    {
      access: access({ find: user })
    }
  )
  await app.setup()
  onTestFinished(async () => void (await app.teardown()))

  const find = (path: string, key: string) =>
    app
      .asClient({ authentication: { strategy: 'key', key } })
      .service(path)
      .find()

  await expect(find('orders', 'customer')).rejects.toMatchObject({ code: 401 })
  await expect(find('inner/salaries', 'customer')).rejects.toMatchObject({ code: 401 })
  expect(await find('orders', 'both')).toEqual({ staff: 'both' })
  expect(await find('inner/salaries', 'employee')).toEqual({ staff: 'employee' })
})

it('users whom a second service has verified are verified again by a hook of the default one', async () => {
  const app: any = alula()

  configure(app)
  app.use('parcels', { find: async ({ customers }: any) => ({ customers }) }, { methods: ['find'] })
  app.service('parcels').hooks({ before: { find: [authenticate('key')] } })
  app.use(
    'shifts',
    { find: (params: any) => app.service('parcels').find(asCaller(params)) },
    {
      access: access({ find: user })
    }
  )
  app.service('shifts').hooks({
    before: {
      find: [staffOnly, ({ params }: any) => void delete params.customers]
    }
  })
  await app.setup()
  onTestFinished(async () => void (await app.teardown()))

  expect(
    await app
      .asClient({ authentication: { strategy: 'key', key: 'both' } })
      .service('shifts')
      .find()
  ).toEqual({ customers: 'both' })
})

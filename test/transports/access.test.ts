import { expect, it } from 'vitest'
import { access, anyone, closed, owner, user } from '../../src/access.ts'
import type { Application } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { configureUsers, logIn } from '../access/support/application.ts'
import { describeRemoteTransports } from '../support/transports.ts'

describeRemoteTransports('access', (open) => {
  it('decides who may call, and on which records', async () => {
    let app: Application | undefined
    const { call, fail } = await open((opened) => {
      app = opened
      app.configure(closed())
      app.configure(configureUsers)
      app.use(
        'notes',
        memory({ store: { 1: { id: 1, ownerId: 1 }, 2: { id: 2, ownerId: 2 } }, paginate: { default: 5 } }),
        { access: access({ find: anyone, get: user, patch: owner('ownerId'), remove: owner('ownerId') }) }
      )
      app.use('open', memory())
    })

    await (app as Application).setup()

    const { ada } = await logIn(app as Application)
    const headers = { Authorization: `Bearer ${ada.accessToken}` }

    expect(await call('find', 'notes')).toMatchObject({ total: 2 })
    expect(await fail('find', 'notes', { headers: { Authorization: 'Bearer x.y.z' } })).toMatchObject({
      code: 401
    })
    expect(await fail('get', 'notes', { id: 2 })).toMatchObject({ code: 401 })
    expect(await call('get', 'notes', { id: 2, headers })).toMatchObject({ id: 2 })
    expect(await call('patch', 'notes', { id: 1, data: { text: 'x' }, headers })).toMatchObject({ text: 'x' })
    expect(await fail('patch', 'notes', { id: 2, data: { text: 'x' }, headers })).toMatchObject({ code: 403 })
    expect(await fail('patch', 'notes', { id: 9, data: { text: 'x' }, headers })).toMatchObject({ code: 404 })
    expect(await fail('remove', 'notes', { id: 2, headers })).toMatchObject({ code: 403 })
    expect(await fail('create', 'notes', { data: {}, headers })).toMatchObject({ code: 403 })
    expect(await fail('find', 'open', { headers })).toMatchObject({ code: 403 })
  })
})

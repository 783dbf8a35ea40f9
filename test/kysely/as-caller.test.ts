import { expect, it } from 'vitest'
import { access, owner } from '../../src/access.ts'
import { BadRequest } from '../../src/errors.ts'
import { alula, asCaller, type Params } from '../../src/index.ts'
import { KyselyService, transaction } from '../../src/kysely.ts'
import { createTable, describeDatabases } from '../support/sql.ts'

class Letters extends KyselyService<any> {
  async send({ id, fails }: { id: number; fails?: boolean }, params: Params) {
    const letters = this as any

    await letters.patch(id, { state: 'sent' }, asCaller(params))
    await letters.create({ state: 'copy', ownerId: 1 }, asCaller(params))

    if (fails) throw new BadRequest('no')

    return await letters.find({ ...asCaller(params, { $sort: { id: 1 } }), paginate: false })
  }
}

describeDatabases('asCaller in a transaction', (database) => {
  const open = async () => {
    const columns = `id ${database.countedId}, state varchar(10) not null, "ownerId" integer not null`
    const Model = await createTable(
      database,
      'alula_letters',
      database.name === 'MariaDB' ? columns.replaceAll('"', '`') : columns
    )
    const app: any = alula()
    const events: string[] = []

    app.use('letters', new Letters({ Model, name: 'alula_letters' }), {
      methods: ['find', 'send'],
      access: access({
        all: ({ params }: any) => ({ ownerId: params.user.id }),
        send: () => true,
        patch: owner('ownerId')
      })
    })
    app.service('letters').hooks({
      before: { send: [transaction.start()] },
      after: { send: [transaction.end()] },
      error: { send: [transaction.rollback()] }
    })
    app.set('authentication', { entity: 'user' })
    app.defaultAuthentication = () => ({
      configuration: { entity: 'user', entityId: 'id', authStrategies: [] }
    })

    for (const name of ['created', 'patched']) app.service('letters').on(name, () => events.push(name))

    const { id } = await app.service('letters').create({ state: 'new', ownerId: 1 })
    const other = await app.service('letters').create({ state: 'new', ownerId: 2 })

    events.length = 0

    return { app, events, id, other: other.id, client: app.asClient({ user: { id: 1 } }).service('letters') }
  }

  it('is in it: its writes are seen, and undone with it', async () => {
    const { app, events, client, id } = await open()
    const states = async () =>
      (await app.service('letters').find({ query: { $sort: { id: 1 } } })).map(({ state }: any) => state)

    await expect(client.send({ id, fails: true })).rejects.toMatchObject({ code: 400 })
    expect([await states(), events]).toEqual([['new', 'new'], []])

    expect((await client.send({ id })).map(({ state }: any) => state)).toEqual(['sent', 'copy'])
    expect([await states(), events]).toEqual([
      ['sent', 'new', 'copy'],
      ['patched', 'created']
    ])
  })

  it('has the rights of the client in it', async () => {
    const { client, other } = await open()

    await expect(client.send({ id: other })).rejects.toMatchObject({ code: 404 })
  })
})

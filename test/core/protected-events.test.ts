import { expect, it } from 'vitest'
import { protect } from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'

const ADA = { id: 1, name: 'Ada', pin: '1', deep: { pin: '2', ok: true } }
const SHOWN = { id: 1, name: 'Ada', deep: { ok: true } }

it.each([
  ['a record', ADA, SHOWN],
  ['a list', [ADA, { name: 'Bob' }], [SHOWN, { name: 'Bob' }]],
  ['an empty list', [], []],
  ['a record without the fields', { name: 'Bob', deep: { ok: true } }, { name: 'Bob', deep: { ok: true } }],
  ['a record in another', { user: ADA, all: [ADA, 1] }, { user: SHOWN, all: [SHOWN, 1] }],
  ['a page', { total: 1, limit: 1, skip: 0, data: [ADA] }, { total: 1, limit: 1, skip: 0, data: [SHOWN] }]
])('%s that code emits leaves without protected fields', async (_title, sent, shown) => {
  const app: any = alula()
  const published = new Promise((resolve, reject) => {
    app.on('error', reject)
    app.on('publish', (_event: string, channel: any, context: any, data: unknown) => {
      const [connection] = channel.connections

      resolve(channel.dataFor(connection) ?? context.dispatch ?? data)
    })
  })

  app.use('users', memory())
  app.service('users').hooks({ after: { all: [protect('pin', 'deep.pin')] } })
  app.publish(() => app.channel('all'))
  app.channel('all').join({ provider: 'socketio' })
  app.service('users').emit('created', sent)

  expect(await published).toEqual(shown)
})

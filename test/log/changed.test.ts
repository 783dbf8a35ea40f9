import { expect, it } from 'vitest'
import { defer } from '../support/deferred.ts'
import { until } from '../support/until.ts'
import { startLog, texts } from './app.ts'

it.each<[string, (context: any) => void]>([
  ['is the result', () => undefined],
  [
    'hooks show in place of the result',
    (context) => {
      context.dispatch = { ...context.result }
    }
  ]
])('a replay sends what %s at the time of the event, without later changes', async (_name, show) => {
  const { log, connect, things, toAll } = startLog()
  const { position } = log
  let dispatch: any

  things.hooks({
    after: {
      create: [
        async (context: any) => {
          show(context)
          dispatch = context.dispatch
        }
      ]
    }
  })
  things.publish(toAll)

  const before = connect()
  const created = await things.create({ text: 'a', tags: ['b'], of: { name: 'c' } })

  expect(before.heard).toHaveLength(1)

  for (const changed of [created, dispatch ?? {}]) Object.assign(changed, { code: 'a secret' })

  created.tags.push('a secret')
  created.of.code = 'a secret'

  const { connection, heard } = connect()

  await log.resume(connection, position)
  expect(texts(heard)).toEqual(['a'])
  expect(heard[0]?.payload).toEqual({ id: 0, text: 'a', tags: ['b'], of: { name: 'c' } })
})

it('an event that waits for its publisher is sent as it was, without later changes', async () => {
  const { app, connect, things } = startLog()
  const gate = defer<void>()
  const { heard } = connect()

  things.publish(() => gate.promise.then(() => app.channel('all')))

  const [created] = await things.create([{ text: 'a', of: { name: 'b' } }, { text: 'c' }])

  Object.assign(created, { code: 'a secret' })
  created.of.code = 'a secret'
  gate.resolve()
  await until(() => expect(heard).toHaveLength(2))
  expect(heard.map(({ payload }) => payload)).toEqual([
    { id: 0, text: 'a', of: { name: 'b' } },
    { id: 1, text: 'c' }
  ])
})

it('an event of which it is not known what clients see ends nothing, whatever its publisher does', async () => {
  const { app, connect, things } = startLog()
  const gate = defer<void>()
  const errors: any[] = []
  const { heard } = connect()

  app.on('error', (error: any) => errors.push(error))
  things.publish(() => gate.promise.then(() => Promise.reject(new Error('late'))))
  things.emit('created', { text: 'a' }, { app, path: 'things', result: [{}], dispatch: [{}] })
  await until(() => expect(errors).toMatchObject([{ code: 'ALULA_UNKNOWN_ITEM' }]))
  gate.resolve()
  await new Promise(setImmediate)
  expect(heard).toEqual([])
})

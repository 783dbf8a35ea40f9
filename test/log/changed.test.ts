import { expect, it } from 'vitest'
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

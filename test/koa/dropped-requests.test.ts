import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { koa, rest } from '../../src/koa.ts'
import { defer } from '../support/deferred.ts'
import { openConnection } from '../support/raw.ts'
import { listen } from '../support/server.ts'
import { until } from '../support/until.ts'

it('middleware before rest() goes on after requests that are dropped with their connection', async () => {
  const app: any = koa(alula())
  const ready = defer()
  let begun = 0
  let ended = 0
  let calls = 0

  app.use(async (_context: unknown, next: () => Promise<unknown>) => {
    begun++

    try {
      await next()
    } finally {
      ended++
    }
  })
  app.configure(rest({ logger: false }))
  app.use('things', {
    find: async () => {
      calls++
      await ready.promise

      return []
    }
  })
  await app.setup()

  // Not by `app.listen()`, which holds requests before any middleware.
  const socket = openConnection(new URL(await listen(createServer(app.callback()))).port)

  socket.write('GET /things HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(120))
  await until(() => expect(begun).toBe(120))
  await until(() => expect(calls).toBe(100))
  socket.destroy()
  await new Promise((resolve) => setTimeout(resolve, 100))
  ready.resolve()
  await until(() => expect(ended).toBe(120))
  expect(calls).toBe(100)
})

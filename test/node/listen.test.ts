import { expect, it } from 'vitest'
import express, { rest } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { koa, rest as koaRest } from '../../src/koa.ts'
import { defer } from '../support/deferred.ts'
import { serve, toPort } from '../support/server.ts'
import { nextUnhandled } from '../support/unhandled.ts'

const applications: { readonly [name: string]: () => any } = {
  Express: () => express(alula()).configure(rest()),
  Koa: () => koa(alula()).configure(koaRest())
}

for (const [name, create] of Object.entries(applications)) {
  it(`${name}: a server that cannot listen leaves another one of the application as it is`, async () => {
    const steps: string[] = []
    const app = create().use('things', {
      find: async () => ['one'],
      setup: async () => void steps.push('set up'),
      teardown: async () => void steps.push('torn down')
    })
    const url = await serve(app)

    await expect(app.listen(toPort(url), '127.0.0.1')).rejects.toMatchObject({ code: 'EADDRINUSE' })

    expect(await (await fetch(`${url}/things`)).json()).toEqual(['one'])
    expect(steps).toEqual(['set up'])

    await app.teardown()
    expect(steps).toEqual(['set up', 'torn down'])
  })

  it(`${name}: the only server tears the application down when it cannot listen`, async () => {
    const steps: string[] = []
    const other = create()
    const url = await serve(other)
    const app = create().use('things', {
      find: async () => [],
      setup: async () => void steps.push('set up'),
      teardown: async () => void steps.push('torn down')
    })

    await expect(app.listen(toPort(url), '127.0.0.1')).rejects.toMatchObject({ code: 'EADDRINUSE' })
    expect(steps).toEqual(['set up', 'torn down'])
  })

  it(`${name}: a teardown during listen is waited for, and not repeated`, async () => {
    const steps: string[] = []
    const begun = defer()
    const opened = defer()
    const closing = defer()
    const closed = defer()
    const app = create().use('things', {
      find: async () => [],
      async setup() {
        begun.resolve()
        await opened.promise
        steps.push('set up')
      },
      async teardown() {
        closing.resolve()
        await closed.promise
        steps.push('torn down')
      }
    })
    const listening = app.listen(0, '127.0.0.1').catch((error: any) => steps.push(error.code))

    await begun.promise

    const tearingDown = app.teardown()

    await new Promise(setImmediate)
    opened.resolve()
    await closing.promise
    // Time for `listen` to reject too early.
    await new Promise(setImmediate)
    closed.resolve()
    await Promise.all([listening, tearingDown])

    expect(steps).toEqual(['set up', 'torn down', 'ALULA_TORN_DOWN'])
  })
}

it('a server that is started when another one has closed has services that are set up', async () => {
  const steps: string[] = []
  const app = applications.Express?.().use('things', {
    setup: async () => void steps.push('set up'),
    teardown: async () => void steps.push('torn down')
  })
  const first = await app.listen(0, '127.0.0.1')

  await new Promise((resolve, reject) => {
    first.close(() => app.listen(0, '127.0.0.1').then(resolve, reject))
  })
  expect(steps).toEqual(['set up', 'torn down', 'set up'])
  await app.teardown()
})

it('after a teardown in a hook of setup, listen sets nothing up and rejects', async () => {
  const steps: string[] = []
  const app = applications.Express?.().use('things', {
    find: async () => [],
    setup: async () => void steps.push('set up'),
    teardown: async () => void steps.push('torn down')
  })

  app.hooks({
    setup: [
      async ({ app: given }: any, next: any) => {
        await given.teardown()
        await next()
      }
    ]
  })

  await expect(app.listen(0, '127.0.0.1')).rejects.toMatchObject({ code: 'ALULA_TORN_DOWN' })
  expect(steps).toEqual(['torn down'])
})

for (const [name, create] of Object.entries(applications)) {
  it(`${name}: listen that waits for a teardown rejects when another teardown comes`, async () => {
    const steps: string[] = []
    const app = create().use('things', {
      setup: async () => void steps.push('set up'),
      teardown: async () => void steps.push('torn down')
    })

    await app.setup()

    const tearingDown = app.teardown()
    const listening = app.listen(0, '127.0.0.1')

    await Promise.all([
      tearingDown,
      expect(listening).rejects.toMatchObject({ code: 'ALULA_TORN_DOWN' }),
      app.teardown()
    ])
    expect(app.server.listening).toBe(false)
    expect(steps).toEqual(['set up', 'torn down'])
  })

  it(`${name}: an error of a teardown that nothing waits for ends the process, as any other`, async () => {
    const app = create().use('things', { teardown: async () => Promise.reject(new Error('Not closed')) })
    const unhandled = nextUnhandled()

    app.teardown()

    expect(await unhandled).toMatchObject([{ message: 'Not closed' }, expect.any(Promise)])
  })
}

it('a teardown while the name of the host is looked up keeps a server from listening', async () => {
  const app = applications.Express?.()
  let tearingDown: Promise<unknown> | undefined

  app.hooks({
    setup: [
      async ({ app: given, server }: any, next: any) => {
        const { listen } = server

        server.listen = (...args: unknown[]) => {
          listen.apply(server, args)
          tearingDown = given.teardown()
        }
        await next()
      }
    ]
  })

  await expect(app.listen(0, 'localhost')).rejects.toMatchObject({ code: 'ALULA_TORN_DOWN' })
  await tearingDown
  expect(app.server.listening).toBe(false)
})

it('listen rejects when a signal closes the server before it listens', async () => {
  const app = applications.Express?.()

  await expect(app.listen({ port: 0, signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: 'ALULA_TORN_DOWN'
  })
  // What would end the process if it were not heard, and no listener of `listen` hears it.
  expect(app.server.listenerCount('error')).toBe(0)
})

for (const [name, create] of Object.entries(applications)) {
  it(`${name}: a server that is started while hooks of a teardown run is closed by the next one`, async () => {
    const begun = defer()
    const opened = defer()
    const app = create().use('things', { find: async () => [] })

    app.hooks({
      teardown: [
        async (_context: unknown, next: () => Promise<void>) => {
          begun.resolve()
          await opened.promise
          await next()
        }
      ]
    })
    await app.listen(0, '127.0.0.1')

    const tearingDown = app.teardown()

    await begun.promise

    const listening = app.listen(0, '127.0.0.1')

    opened.resolve()
    await tearingDown

    const server = await listening

    expect(server.listening).toBe(true)
    await app.teardown()
    expect(server.listening).toBe(false)
  })

  it(`${name}: several servers may be started at once`, async () => {
    const app = create().use('things', { find: async () => ['one'] })
    const servers = await Promise.all([app.listen(0, '127.0.0.1'), app.listen(0, '127.0.0.1')])

    for (const server of servers)
      expect(await (await fetch(`http://127.0.0.1:${server.address().port}/things`)).json()).toEqual(['one'])

    await app.teardown()
    expect(servers.map(({ listening }: any) => listening)).toEqual([false, false])
  })
}

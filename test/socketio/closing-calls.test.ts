import { once } from 'node:events'
import { createServer } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import type { Socket } from 'socket.io-client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { prepareClose, toListener } from '../../src/node.ts'
import { socketio } from '../../src/socketio.ts'
import { defer } from '../support/deferred.ts'
import { scaled } from '../support/scale.ts'
import { toUrl } from '../support/server.ts'
import { call, connect, createClient, hear } from '../support/socketio.ts'
import { until } from '../support/until.ts'
import { ends, open, withoutReturn } from './server.ts'

/** A server whose calls wait until the test lets them go on. */
async function openWaiting() {
  const begun: unknown[] = []
  const done = defer()
  const { app, url } = await open((app) => {
    app.use('things', {
      get: async (id: unknown) => {
        begun.push(id)
        await done.promise

        return id
      }
    })
  })

  return { app, url, begun, done }
}

describe('calls that run when the application closes', () => {
  it('are all answered, however many there are', async () => {
    for (let round = 0; round < scaled(200); round++) {
      const { app, url } = await open((app) => {
        app.use('things', memory())
        app.service('things').hooks({
          before: {
            create: [
              async () => {
                for (let turns = 0; turns < 5; turns++) await turn()
              }
            ]
          }
        })
      })
      const sockets = await Promise.all(Array.from({ length: 5 }, () => connect(url, withoutReturn)))
      const closed = ends(sockets)
      const calls = sockets.flatMap((socket) =>
        Array.from({ length: 40 }, (_, n) => call(socket, 'create', 'things', { n }))
      )

      // Some rounds close before anything has arrived, others in the middle.
      for (let turns = 0; turns < round % 10; turns++) await turn()

      const closing = app.teardown()
      const records = await Promise.all(calls)

      expect(new Set(records.map(({ id }) => id)).size).toBe(200)
      expect(await closed).toEqual(Array(5).fill('transport close'))
      await closing
    }
  }, 300_000)

  it('are waited for as long as they take, before the services are torn down', async () => {
    const steps: string[] = []
    const begun = defer()
    const done = defer()
    const { app, url } = await open((app) => {
      app.use('things', {
        get: async () => {
          begun.resolve()
          await done.promise
          steps.push('done')

          return 'slow'
        },
        find: async () => 'quick',
        teardown: async () => void steps.push('torn down')
      })
    })
    const socket = await connect(url, withoutReturn)
    const closed = ends([socket])
    const slow = call(socket, 'get', 'things', 1)

    await begun.promise

    const closing = app.teardown()

    // Whoever is connected is still served, and nobody else is let in.
    expect(await call(socket, 'find', 'things')).toBe('quick')
    await hear(createClient(url, withoutReturn), 'connect_error')
    expect((await fetch(`${url}/socket.io/?EIO=4&transport=polling`)).status).toBe(403)
    expect(steps).toEqual([])
    done.resolve()
    expect(await slow).toBe('slow')
    expect(await closed).toEqual(['transport close'])
    await closing
    expect(steps).toEqual(['done', 'torn down'])
  })

  it('are waited for with a server of your own too, whose requests end before the services do', async () => {
    const steps: string[] = []
    const begun = [defer(), defer()] as const
    const done = [defer(), defer()] as const
    const app = alula().configure(socketio())

    app.on('connection', () => {})
    app.use('things', {
      get: async (id: unknown) => {
        begun[Number(id)]?.resolve()
        await done[Number(id)]?.promise

        return { id: Number(id) }
      },
      teardown: async () => void steps.push('torn down')
    })

    const server = createServer(toListener(app))
    const close = prepareClose(server, app)

    await app.setup(server)
    app.hooks({
      teardown: [
        async (_context: unknown, next: () => Promise<unknown>) => {
          steps.push('sockets closed')
          await close()
          await next()
        }
      ]
    })
    await once(server.listen(0), 'listening')

    const url = toUrl(server)
    const socket = await connect(url, withoutReturn)
    const closed = ends([socket])
    const message = call(socket, 'get', 'things', 0)
    const request = fetch(`${url}/things/1`)

    await Promise.all(begun.map(({ promise }) => promise))

    const closing = app.teardown()

    await turn()
    expect(steps).toEqual([])
    done[0].resolve()
    expect(await message).toEqual({ id: 0 })
    expect(await closed).toEqual(['transport close'])
    await until(() => expect(steps).toEqual(['sockets closed']))
    done[1].resolve()
    expect(await (await request).json()).toEqual({ id: 1 })
    await closing
    expect(steps).toEqual(['sockets closed', 'torn down'])
  })

  it('are answered too where they wait for their turn', async () => {
    const { app, url, begun, done } = await openWaiting()
    const socket = await connect(url, withoutReturn)
    const closed = ends([socket])
    const ids = Array.from({ length: 500 }, (_, id) => id)
    const calls = ids.map((id) => call(socket, 'get', 'things', id))

    await until(() => expect(begun).toHaveLength(100))

    const closing = app.teardown()

    await turn()
    done.resolve()
    expect(await Promise.all(calls)).toEqual(ids)
    expect(await closed).toEqual(['transport close'])
    await closing
  })

  it('do not run any more where their turn does not come in time, and are answered', async () => {
    const { app, url, begun, done } = await openWaiting()
    const socket = await connect(url, withoutReturn)
    const ids = Array.from({ length: 500 }, (_, id) => id)
    const calls = ids.map((id) => call(socket, 'get', 'things', id).catch(({ message }) => message))

    await until(() => expect(begun).toHaveLength(100))

    const closing = app.teardown()

    expect(await Promise.all(calls.slice(100))).toEqual(Array(400).fill('The server is closing'))
    expect(begun).toHaveLength(100)
    done.resolve()
    expect(await Promise.all(calls.slice(0, 100))).toEqual(ids.slice(0, 100))
    await closing
  })

  it('are waited for by a second teardown too', async () => {
    const steps: string[] = []
    const begun = defer()
    const done = defer()
    const app: any = alula().configure(socketio({ logger: false }))
    const server = createServer().listen(0, '127.0.0.1')

    app.use('things', {
      get: async () => {
        begun.resolve()
        await done.promise
        steps.push('done')
      },
      teardown: async () => void steps.push('torn down')
    })
    await once(server, 'listening')
    onTestFinished(() => server.closeAllConnections())
    onTestFinished(() => void server.close())
    await app.setup(server)

    const socket = await connect(toUrl(server), withoutReturn)
    const answered = call(socket, 'get', 'things', 1)

    await begun.promise

    const closings = [app.teardown(), app.teardown()]

    await turn()
    done.resolve()
    await Promise.all([answered, ...closings])
    expect(steps[0]).toBe('done')
  })

  it('under a load that does not end are answered or have not run, and the end comes', async () => {
    for (let round = 0; round < scaled(40); round++) {
      let runs = 0
      const { app, url } = await open((app) => {
        app.use('things', {
          create: async (data: unknown) => {
            // So that at no time there is none.
            for (let turns = runs++ % 3; turns >= 0; turns--) await turn()

            return data
          }
        })
      })
      const sockets = await Promise.all(Array.from({ length: 5 }, () => connect(url, withoutReturn)))
      const errors = new Set<string>()
      let answers = 0

      async function load(socket: Socket): Promise<void> {
        while (socket.connected) {
          // Gets what stands first in the answer: the error, or nothing.
          const error = await socket
            .emitWithAck('create', 'things', { n: 1 })
            .catch(({ message }) => ({ message }))

          if (error) errors.add(error.message)
          else answers++
        }
      }

      const loads = sockets.flatMap((socket) => Array.from({ length: 5 }, () => load(socket)))

      await until(() => expect(runs).toBeGreaterThan(100))

      const began = performance.now()

      await app.teardown()
      expect(performance.now() - began).toBeLessThan(10_000)
      await Promise.all(loads)
      expect(answers).toBe(runs)
      for (const error of errors) {
        expect(['The server is closing', 'socket has been disconnected']).toContain(error)
      }
    }
  }, 300_000)
})

import { afterEach, describe, expect, it, vi } from 'vitest'
import { BadRequest } from '../../src/errors.ts'
import { call, connect, open, openRaw } from '../support/socketio.ts'
import { nested, openRecorder } from './recorder.ts'

afterEach(() => void vi.unstubAllEnvs())

const cycle: { self?: unknown } = {}

cycle.self = cycle

describe('the answer', () => {
  it('is what may be shown of the result', async () => {
    const { socket } = await openRecorder((app) => {
      app.use('users', { get: async () => ({ id: 1, password: 'secret' }), find: async () => ['hidden'] })
      app.service('users').hooks({
        after: {
          get: [async (context: any) => Object.assign(context, { dispatch: { id: 1 } })],
          find: [async (context: any) => Object.assign(context, { dispatch: null })]
        }
      })
    })

    expect(await call(socket, 'get', 'users', 1)).toEqual({ id: 1 })
    expect(await call(socket, 'find', 'users')).toBeNull()
  })

  it.each([null, 0, '', false, [], {}])('is %j when the result is that', async (result) => {
    const { socket } = await openRecorder((app) => app.use('plain', { find: async () => result }))

    expect(await call(socket, 'find', 'plain')).toEqual(result)
  })

  it('is the error of a hook, as it is', async () => {
    const { socket } = await openRecorder((app) => {
      app.use('broken', {
        find: async () => {
          throw new BadRequest('No', { because: 'of this', errors: [{ path: 'a' }] })
        }
      })
    })

    await expect(call(socket, 'find', 'broken')).rejects.toEqual({
      name: 'BadRequest',
      message: 'No',
      code: 400,
      className: 'bad-request',
      data: { because: 'of this' },
      errors: [{ path: 'a' }]
    })
  })

  it.each([
    ['a cycle', () => cycle],
    [
      'an object that throws',
      () => ({
        toJSON() {
          throw new Error('no JSON')
        }
      })
    ],
    ['too deep', () => nested(20_000)]
  ])('is one 500 for a result that is %s', async (_title, create: () => object) => {
    const { calls, url } = await openRecorder((app) => app.use('odd', { find: async () => create() }))
    const raw = await openRaw(url)

    raw.send('40')
    await raw.receive('40{')
    raw.send('421["find","odd"]', '422["find","things"]')
    expect(JSON.parse((await raw.receive('431')).slice(3))).toMatchObject([
      { name: 'GeneralError', code: 500 }
    ])
    await raw.receive('432')
    expect(raw.received.filter((frame) => String(frame).startsWith('431'))).toHaveLength(1)
    expect(calls).toHaveLength(1)
  })

  it.each([
    ['production', 'An unexpected error occurred on the server'],
    ['development', 'password of the database is hunter2']
  ])('in %s says of an unexpected error no more than: %s', async (environment, message) => {
    vi.stubEnv('NODE_ENV', environment)

    const failing = async () => {
      throw Object.assign(new Error('password of the database is hunter2'), {
        sql: 'select 1',
        code: 'ECONNREFUSED',
        hook: { secret: 1 }
      })
    }
    const { socket } = await openRecorder((app) => app.use('failing', { find: failing }))

    await expect(call(socket, 'find', 'failing')).rejects.toEqual({
      name: 'GeneralError',
      message,
      code: 500,
      className: 'general-error'
    })
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'text'],
    ['an object', { code: 200, message: { a: 1 } }],
    [
      'what throws when it is looked at',
      new Proxy(
        {},
        {
          get: () => {
            throw new Error('hidden')
          }
        }
      )
    ]
  ])('is a 500 when %s is thrown', async (_title, thrown) => {
    const { socket } = await openRecorder((app) => {
      app.use('failing', {
        find: async () => {
          throw thrown
        }
      })
    })

    await expect(call(socket, 'find', 'failing')).rejects.toMatchObject({ name: 'GeneralError', code: 500 })
    expect(await call(socket, 'find', 'things')).toBe('done')
  })
})

describe('the log', () => {
  const configure = (app: any) =>
    app.use('failing', {
      find: async () => {
        throw new Error('unexpected')
      },
      create: async () => {
        throw new BadRequest('expected')
      },
      get: async () => cycle
    })

  it('gets the stack of errors that clients see nothing of, and no others', async () => {
    const written: string[] = []
    const { url } = await open(configure, { logger: { error: (message) => void written.push(message) } })
    const socket = await connect(url)

    await expect(call(socket, 'create', 'failing', { password: 'hunter2' })).rejects.toMatchObject({
      code: 400
    })
    await expect(call(socket, 'find', 'nothing')).rejects.toMatchObject({ code: 404 })
    expect(written).toEqual([])
    await expect(call(socket, 'find', 'failing', { password: 'hunter2' })).rejects.toMatchObject({
      code: 500
    })
    await expect(call(socket, 'get', 'failing', 1)).rejects.toMatchObject({ code: 500 })
    expect(written).toEqual([
      expect.stringMatching(/^Error: unexpected\n +at /),
      expect.stringMatching(/circular/)
    ])
    expect(written.join()).not.toContain('hunter2')
  })

  it('that throws itself changes no answer', async () => {
    const { url } = await open(configure, {
      logger: {
        error: () => {
          throw new Error('disk full')
        }
      }
    })

    await expect(call(await connect(url), 'find', 'failing')).rejects.toMatchObject({ code: 500 })
  })

  it('is the console unless another is given', async () => {
    const written = vi.spyOn(console, 'error').mockReturnValue()
    const { url } = await open(configure, { logger: undefined as any })
    const socket = await connect(url)

    await expect(call(socket, 'find', 'failing')).rejects.toMatchObject({ code: 500 })
    expect(written).toHaveBeenCalledOnce()
    written.mockRestore()
  })
})

import { expect, it, vi } from 'vitest'
import { Conflict } from '../../src/errors.ts'
import { describeRemoteTransports } from '../support/transports.ts'

const open_ = (open: any, logger: any) =>
  open(
    (app: any) =>
      app.use('things/:kind', {
        create: async () => {
          throw new Error('no place', { cause: new Error('disk') })
        },
        remove: async () => {
          throw new Conflict('Taken')
        }
      }),
    { logger }
  )

describeRemoteTransports('a log', (open) => {
  it('gets an unexpected error with the call that it belongs to, and nothing that the client sent', async () => {
    const lines: any[] = []
    const client = await open_(open, { error: (...line: any[]) => lines.push(line) })

    await client.fail('create', 'things/secret', {
      data: { password: 'secret' },
      query: { key: 'secret' },
      headers: { Authorization: 'Bearer secret' }
    })

    expect(lines).toHaveLength(1)

    const [[message, { error, context, ...others }]] = lines

    expect(message).toMatch(/^Error: no place\n[\s\S]*Caused by: Error: disk\n/)
    expect(error.message).toBe('no place')
    expect(context).toMatchObject({ method: 'create', provider: client.provider, status: 500 })
    expect(Object.keys(context).sort()).toEqual(['method', 'path', 'provider', 'status'])
    expect(others).toEqual({})
    expect(message).not.toContain('secret')
    if (client.provider === 'rest') expect(JSON.stringify(context)).not.toContain('secret')
  })

  it.each<[string, unknown]>([
    ['{"message":"declined","code":"E42"}', { message: 'declined', code: 'E42', token: 'secret' }],
    ['[object Object]', Object.assign(Object.create(null), { code: 1n })]
  ])('says %s of what was thrown in place of an error', async (text, thrown) => {
    const lines: string[] = []
    const client = await open(
      (app: any) => {
        app.use('things', {
          get: async () => {
            throw thrown
          }
        })
      },
      { logger: { error: (message: string) => lines.push(message) } } as any
    )

    await client.fail('get', 'things', { id: '1' })
    expect(lines).toEqual([text])
  })

  it('gets nothing of errors that clients cause', async () => {
    const lines: any[] = []
    const client = await open_(open, { error: (...line: any[]) => lines.push(line) })

    await client.fail('remove', 'things/a', { id: '1' })
    await client.fail('patch', 'things/a', { id: '1', data: {} })
    expect(lines).toEqual([])
  })

  it('that is the console gets the message alone', async () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => undefined)

    try {
      const client = await open_(open, console)

      await client.fail('create', 'things/a', { data: {} })
      expect(error.mock.calls).toEqual([[expect.stringMatching(/^Error: no place/)]])
    } finally {
      error.mockRestore()
    }
  })

  it('that fails keeps no response back', async () => {
    const client = await open_(open, {
      error: () => {
        throw new Error('no log')
      }
    })

    expect(await client.fail('create', 'things/a', { data: {} })).toMatchObject({ code: 500 })
  })
})

it('the path in a log is that of the service, with its placeholders', async () => {
  const { createHandler } = await import('../../src/fetch.ts')
  const { alula } = await import('../../src/index.ts')
  const app = alula().use('things/:kind', { find: async () => Promise.reject(new Error('no')) })
  const contexts: unknown[] = []
  const handle = createHandler(app, {
    logger: { error: (_message, details) => contexts.push(details?.context) }
  })

  await handle(new Request('http://a/things/secret?key=secret'))
  expect(contexts).toEqual([{ path: 'things/:kind', method: 'find', provider: 'rest', status: 500 }])
})

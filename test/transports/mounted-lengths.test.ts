import { expect, it } from 'vitest'
import { defer } from '../support/deferred.ts'
import { describeHttpTransports } from '../support/transports.ts'
import { until } from '../support/until.ts'
import { toStream } from './support/mount.ts'

describeHttpTransports('the response of a mounted function', (open) => {
  it.each(['GET', 'HEAD'])('keeps the length of a body that it says, in response to %s', async (method) => {
    const client = await open((app) =>
      app.mount('docs', () => new Response(toStream(['ab', 'c']), { headers: { 'Content-Length': '3' } }))
    )
    const response = await client.request('/docs', { method })

    expect(response.headers.get('content-length')).toBe('3')
    expect(response.headers.get('transfer-encoding')).toBeNull()
    expect(await response.text()).toBe(method === 'HEAD' ? '' : 'abc')
  })

  it('may say the length of the body that a GET would get, in response to a HEAD', async () => {
    const client = await open((app) =>
      app.mount('docs', (_request, { method }) =>
        method === 'HEAD'
          ? new Response(null, { headers: { 'Content-Length': '1000' } })
          : new Response('none')
      )
    )
    const response = await client.request('/docs', { method: 'HEAD' })

    expect(response.headers.get('content-length')).toBe('1000')
    expect(await response.text()).toBe('')
  })

  it('has no length but 0 without a body', async () => {
    const client = await open((app: any) => {
      app.mount('docs', () => new Response(null, { headers: { 'Content-Length': '3' } }))
    })
    const response = await client.request('/docs')

    expect(response.headers.get('content-length')).toBe('0')
    expect(await response.text()).toBe('')
  })

  it.each(['-1', '1e1', '3, 3', ' ', '99999999999999999999'])('says no length with %j', async (length) => {
    const client = await open((app) =>
      app.mount('docs', () => new Response(toStream(['abc']), { headers: { 'Content-Length': length } }))
    )
    const response = await client.request('/docs')

    expect(response.headers.get('content-length')).toBeNull()
    expect(await response.text()).toBe('abc')
  })

  it.each([
    ['shorter', '4', 'is 3 bytes long, and its Content-Length is 4'],
    ['longer', '2', 'is longer than its Content-Length, which is 2']
  ])('fails when its body is %s than its length', async (_title, length, message) => {
    const lines: string[] = []
    const cancelled = defer()
    const logger = { error: (line: string) => void lines.push(line) }
    const client = await open(
      (app) =>
        app.mount(
          'docs',
          () => new Response(toStream(['abc'], cancelled.resolve), { headers: { 'Content-Length': length } })
        ),
      { logger }
    )

    await expect(client.request('/docs').then((response) => response.text())).rejects.toThrow()
    await until(() =>
      expect(lines).toEqual([
        expect.stringContaining(`The body of the function that is mounted for '/docs' ${message}`)
      ])
    )
    if (length === '2') await cancelled.promise
  })
})

import { expect, it } from 'vitest'
import { memory } from '../../src/memory.ts'
import { describeHttpTransports } from '../support/transports.ts'

describeHttpTransports('the tag of a record, changed by a proxy that compresses', (open) => {
  const start = async () => {
    const client = await open((app) => app.use('notes', memory({ startId: 1 })))

    await client.call('create', 'notes', { data: { text: 'a' } })

    const tag = (await client.request('/notes/1')).headers.get('etag') as string

    return { client, tag: tag.replace(/^W\//, '').slice(0, -1) }
  }

  it.each(['-gzip"', '--gzip"', ';gzip"', '-br"', '-zstd"', '-deflate"', '"'])(
    'by %s: is recognised',
    async (end) => {
      const { client, tag } = await start()

      for (const weak of ['', 'W/']) {
        const sent = `"other", ${weak}${tag}${end}`
        const read = await client.request('/notes/1', {
          // Or fetch sends `no-cache`, which asks for a full response.
          headers: { 'If-None-Match': sent, 'Cache-Control': 'max-age=0' }
        })

        expect([sent, read.status]).toEqual([sent, 304])
      }

      const written = await client.request('/notes/1', {
        method: 'PATCH',
        headers: { 'If-Match': `W/${tag}${end}`, 'Content-Type': 'application/merge-patch+json' },
        body: '{"text":"b"}'
      })

      expect(written.status).toBe(200)
    }
  )

  it.each(['-other"', '-gzipx"', 'gzip"', '-GZIP"'])(
    'by %s, which no proxy does: is another one',
    async (end) => {
      const { client, tag } = await start()
      const read = await client.request('/notes/1', {
        headers: { 'If-None-Match': `${tag}${end}`, 'Cache-Control': 'max-age=0' }
      })
      const written = await client.request('/notes/1', {
        method: 'PATCH',
        headers: { 'If-Match': `W/${tag}${end}`, 'Content-Type': 'application/json' },
        body: '{"text":"b"}'
      })

      expect([read.status, written.status]).toEqual([200, 412])
    }
  )
})

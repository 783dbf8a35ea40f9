import { expect, it } from 'vitest'
import { readBlocks, readPage, toModule } from '../support/page.ts'
import { runServer } from '../support/program.ts'
import { call } from './header-login.ts'

const [program, node] = readBlocks(await readPage('recipes/22-middleware'), 'js') as [string, string]
const ORIGIN = { Origin: 'https://app.example.com' }

it('an application of Express has headers, CORS, compression and limits', async () => {
  const { address } = await runServer(program.replace('limit: 100', 'limit: 7'))
  const notes = `${address}/notes`
  const create = async (text: string) => await call(notes, { data: { text } })

  for (const text of ['x'.repeat(5000), 'two', 'three']) expect((await create(text)).status).toBe(201)

  // The hook allows three of them, and other methods go on.
  const { status, body } = await create('four')

  expect([status, body.name, body.data.retryAfter > 0]).toEqual([429, 'TooManyRequests', true])

  const { headers } = await call(notes, { headers: { ...ORIGIN, 'Accept-Encoding': 'gzip' } })

  expect(headers.get('content-encoding')).toBe('gzip')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('strict-transport-security')).toContain('max-age=')
  expect(headers.get('access-control-allow-origin')).toBe('https://app.example.com')
  expect(headers.get('ratelimit')).toContain('r=2')

  // The middleware allows seven requests of any kind. Errors of it have the headers too.
  await call(`${notes}/1`)
  expect((await call(`${address}/nowhere`)).status).toBe(404)

  const refused = await call(`${notes}/1`, { headers: ORIGIN })

  expect([refused.status, refused.body.message]).toEqual([429, 'Too many requests: try again in a minute'])
  expect(refused.headers.get('access-control-allow-origin')).toBe('https://app.example.com')
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
})

it('the hook limits calls on plain Node, too', async () => {
  const services = program
    .replace(/^import (compression|cors|helmet|\{ rateLimit \}|express).*$/gm, '')
    .replace(/app\.set\('trust proxy'[\s\S]+?(?=\/\*\* A hook)/, '')
    .replace('express(alula())', 'alula()')
    .replace(/app\.use\(notFound[\s\S]+/, '')
  const { address } = await runServer(toModule(services, 'await app.setup()', node))
  const statuses: number[] = []

  for (const text of ['one', 'two', 'three', 'four'])
    statuses.push((await call(`${address}/notes`, { data: { text } })).status)

  expect(statuses).toEqual([201, 201, 201, 429])
})

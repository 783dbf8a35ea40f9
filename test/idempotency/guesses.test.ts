import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { createHandler } from '../../src/fetch.ts'
import { idempotency } from '../../src/idempotency.ts'
import { type Application, alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'

it('what is stored of a request cannot be compared with guesses of its data without its key', async () => {
  const app: Application<any> = alula()

  app.configure(idempotency({ store: 'keys' }))
  app.use('keys', memory(), { methods: [] })
  app.use('users', { create: async () => ({ id: 1 }) } as any, { methods: ['create'] })
  await app.setup()

  const handle = createHandler(app, { logger: false })
  const keys = [randomUUID(), randomUUID()]

  for (const key of keys) {
    await handle(
      new Request('http://localhost/users', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
        body: JSON.stringify({ password: 'hunter2' })
      })
    )
  }

  const rows: any[] = await app.service('keys').find()

  expect(rows).toHaveLength(2)
  // A hash of the data alone would be the same in both.
  expect(rows[0].hash).not.toBe(rows[1].hash)
  for (const key of keys) expect(JSON.stringify(rows)).not.toContain(key)
})

it('services of two sub-applications with one path do not get each other’s responses', async () => {
  const app: Application<any> = alula().configure(idempotency())

  for (const place of ['v1', 'v2'])
    app.use(place, alula().use('notes', { create: async () => ({ place }) } as any, { methods: ['create'] }))
  await app.setup()

  const handle = createHandler(app, { logger: false })
  const key = randomUUID()
  const send = async (place: string): Promise<unknown> => {
    const response = await handle(
      new Request(`http://localhost/${place}/notes`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
        body: '{}'
      })
    )

    return response.json()
  }

  expect(await send('v1')).toEqual({ place: 'v1' })
  expect(await send('v2')).toEqual({ place: 'v2' })
  expect(await send('v1')).toEqual({ place: 'v1' })
})

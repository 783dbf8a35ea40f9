import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { alula } from '../../src/index.ts'
import { MemoryService } from '../../src/memory.ts'
import { toListener } from '../../src/node.ts'
import { schema } from '../../src/schema.ts'
import { describeApp } from '../openapi/support/describe.ts'

const Note = z.object({ id: z.int32(), text: z.string() })

class Notes extends MemoryService<any> {
  async queue() {
    return { id: 0, text: 'queued' }
  }
}

const STATUS = { create: 200, remove: 204, queue: 202 }

function createApp(status: any = STATUS): any {
  const app: any = alula()

  app.use('notes', new Notes({}), {
    methods: ['find', 'get', 'create', 'remove', 'queue'],
    schema: schema(Note, { status, methods: { queue: { result: Note } } })
  })

  return app
}

it('a schema declares the statuses of successful responses', async () => {
  const app = createApp()

  await app.setup()

  const server = createServer(toListener(app)).listen(0)

  onTestFinished(() => void server.close())
  await once(server, 'listening')

  const url = `http://localhost:${(server.address() as AddressInfo).port}/notes`
  const send = async (path: string, method: string, data?: object): Promise<[number, string]> => {
    const headers = { 'Content-Type': 'application/json' }
    const response = await fetch(url + path, { method, headers, ...(data && { body: JSON.stringify(data) }) })

    return [response.status, await response.text()]
  }
  const removed: unknown[] = []

  app.service('notes').on('removed', (note: unknown) => removed.push(note))
  expect(await send('', 'POST', { text: 'a' })).toEqual([200, '{"text":"a","id":0}'])
  expect(await send('/0', 'GET')).toEqual([200, '{"text":"a","id":0}'])
  expect(await send('/queue', 'POST', {})).toEqual([202, '{"id":0,"text":"queued"}'])
  expect((await send('', 'POST', {}))[0]).toBe(400)

  const accept = async ({ http }: any) => {
    http.status = 203
  }

  app.service('notes').hooks({ after: { create: [accept] } })
  expect((await send('', 'POST', { text: 'b' }))[0]).toBe(203)
  expect(await send('/0', 'DELETE')).toEqual([204, ''])
  expect(removed).toEqual([{ text: 'a', id: 0 }])
})

it('documents have them', async () => {
  const { paths } = await describeApp(createApp())
  const toStatuses = (path: string, verb: string) =>
    Object.entries<any>(paths[path][verb].responses)
      .filter(([status]) => status.startsWith('2'))
      .map(([status, { content }]) => [status, content !== undefined])

  expect(toStatuses('/notes', 'post')).toEqual([['200', true]])
  expect(toStatuses('/notes/{id}', 'get')).toEqual([['200', true]])
  expect(toStatuses('/notes/{id}', 'delete')).toEqual([['204', false]])
  expect(toStatuses('/notes/queue', 'post')).toEqual([['202', true]])
})

it('a status that is none of success, or of a method that is not there, refuses the start', () => {
  expect(() => createApp({ create: 404 })).toThrow(
    "Invalid option 'create' of status of schema(): expected a number from 200 to 299"
  )
  expect(() => createApp({ creat: 200 })).toThrow(
    "describes the method 'creat', which the service does not have. Did you mean 'create'?"
  )
})

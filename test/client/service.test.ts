import { expect, it } from 'vitest'
import { ClientService } from '../../src/client/service.ts'
import type { ServiceCall } from '../../src/core/methods.ts'
import { failure } from './servers.ts'

// What no client sends, whichever way its calls go.

class Recorder extends ClientService {
  readonly calls: ServiceCall[] = []

  async sendCall(call: ServiceCall) {
    this.calls.push(call)
  }
}

const lost = () => Promise.resolve({ done: true })

it('a method with an id needs one', async () => {
  const service: any = new Recorder()

  for (const method of ['get', 'update', 'patch', 'remove', '_get', '_update', '_patch', '_remove']) {
    for (const id of [undefined, '']) {
      expect(await failure(service[method](id, {}))).toMatchObject({
        name: 'BadRequest',
        message: `id for .${method.replace('_', '')} is required`
      })
    }
  }

  expect(await failure(service.get(null))).toMatchObject({ message: 'id for .get is required' })
  expect(service.calls).toEqual([])
})

it.each<[string, () => unknown]>([
  ['a promise', lost],
  ['search params', () => new URLSearchParams({ done: 'true' })],
  ['a map', () => new Map([['done', true]])],
  ['a list', () => ['done']],
  ['a date', () => new Date()]
])('a query that is %s does not become one for all records', async (_title, create) => {
  const service: any = new Recorder().methods('search')
  const params = { query: create() }

  for (const call of [
    () => service.find(params),
    () => service.patch(null, {}, params),
    () => service.remove(null, params),
    () => service._remove(null, params),
    () => service.search({}, params)
  ]) {
    expect(await failure(call())).toMatchObject({
      name: 'BadRequest',
      message: "Invalid query: expected a plain object. Is an 'await' missing?"
    })
  }

  expect(service.calls).toEqual([])
})

it.each<[string, () => unknown]>([
  ['a promise', lost],
  ['a form', () => new FormData()],
  ['a list with a promise', () => [{ done: true }, lost()]]
])('data that are %s do not become an empty record', async (_title, create) => {
  const service: any = new Recorder()

  for (const call of [
    () => service.create(create()),
    () => service.update(1, create()),
    () => service.patch(1, create())
  ]) {
    expect(await failure(call())).toMatchObject({
      message: "Invalid data: expected a plain object. Is an 'await' missing?"
    })
  }

  expect(service.calls).toEqual([])
})

it('instances with fields, texts for methods of one’s own, and nothing are sent', async () => {
  class Note {
    text = 'Hello'
  }

  const service: any = new Recorder().methods('say')

  await service.create(new Note(), { query: null })
  await service.create([new Note()])
  await service.say('Hello')
  await service.say(undefined, { query: Object.create(null) })
  expect(service.calls).toHaveLength(4)
})

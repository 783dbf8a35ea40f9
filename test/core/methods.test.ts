import { expect, it } from 'vitest'
import { fromArguments, toArguments } from '../../src/core/methods.ts'
import { alula } from '../../src/index.ts'

const params = { query: { done: true } }
const data = { text: 'Hello' }

const calls: [method: string, args: unknown[]][] = [
  ['find', [params]],
  ['get', [1, params]],
  ['create', [data, params]],
  ['update', [1, data, params]],
  ['patch', [null, data, params]],
  ['remove', [1, params]],
  ['shout', [data, params]]
]

it.each(calls)('the arguments of %s become a call, and the call these arguments', (method, args) => {
  const call = fromArguments(method, args)

  expect(call).toEqual({
    method,
    params,
    id: args.length === 3 || ['get', 'remove'].includes(method) ? args[0] : undefined,
    data: args.includes(data) ? data : undefined
  })
  expect(toArguments(call)).toEqual(args)
})

it('a call without params has empty ones, and an id or data that were left out are undefined', () => {
  expect(fromArguments('find', [])).toEqual({ method: 'find', id: undefined, data: undefined, params: {} })
  expect(fromArguments('patch', [7])).toEqual({ method: 'patch', id: 7, data: undefined, params: {} })
})

it('app.registerPublisher is app.publish', async () => {
  const app: any = alula().use('things', { create: async (data: any) => data })
  const heard: any[] = []

  app.channel('all').join({})
  app.on('publish', (event: string) => heard.push(event))
  expect(app.registerPublisher('created', () => app.channel('all'))).toBe(app)

  await app.service('things').create({})
  expect(heard).toEqual(['created'])
})

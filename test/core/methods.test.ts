import { expect, it } from 'vitest'
import { fromArguments, toArguments } from '../../src/core/methods.ts'
import {
  alula,
  defaultEventMap,
  defaultServiceArguments,
  defaultServiceEvents,
  defaultServiceMethods
} from '../../src/index.ts'

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

it('the tables say of each method what it takes and which event it sends', () => {
  expect(defaultServiceMethods).toEqual(['find', 'get', 'create', 'update', 'patch', 'remove'])
  expect(defaultServiceArguments).toMatchObject({
    find: ['params'],
    get: ['id', 'params'],
    create: ['data', 'params'],
    update: ['id', 'data', 'params'],
    patch: ['id', 'data', 'params'],
    remove: ['id', 'params']
  })
  expect({ ...defaultEventMap }).toEqual({
    create: 'created',
    update: 'updated',
    patch: 'patched',
    remove: 'removed'
  })
  expect(defaultServiceEvents).toEqual(['created', 'updated', 'patched', 'removed'])
  // Names that come from outside lead to nothing.
  expect((defaultEventMap as any).toString).toBeUndefined()
  expect(Object.isFrozen(defaultServiceArguments)).toBe(true)
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

import { describe, expect, it } from 'vitest'
import { memory } from '../../src/memory.ts'
import { call, openRaw } from '../support/socketio.ts'
import { nested, openRecorder } from './recorder.ts'

describe('an id', () => {
  it.each([0, -1, 1.5, 'a', '0', '__proto__', 'constructor', ' ', '{}'])('%j is one', async (id) => {
    const { calls, socket } = await openRecorder()

    for (const method of ['get', 'remove']) await call(socket, method, 'things', id)
    for (const method of ['update', 'patch']) await call(socket, method, 'things', id, {})

    expect(calls.map((values) => values[1])).toEqual([id, id, id, id])
  })

  it.each([
    ['an object', {}, 'object'],
    ['a condition', { $ne: null }, 'object'],
    ['an object that looks like a text', { toString: 'a', length: 1 }, 'object'],
    ['an array', [1], 'object'],
    ['true', true, 'boolean'],
    ['false', false, 'boolean'],
    ['an empty string', '', 'an empty string'],
    ['bytes', Buffer.from('1'), 'object']
  ])('%s is none', async (_title, id, found) => {
    const { calls, socket } = await openRecorder()

    for (const method of ['get', 'update', 'patch', 'remove']) {
      const data = ['update', 'patch'].includes(method) ? [{}] : []

      await expect(call(socket, method, 'things', id, ...data)).rejects.toEqual({
        name: 'BadRequest',
        message: `Invalid id for '${method}': expected ${method === 'get' ? 'a string or a number' : 'a string, a number or null'}, got ${found}`,
        code: 400,
        className: 'bad-request'
      })
    }

    expect(calls).toEqual([])
  })

  it('has to be there, and may not be null for get', async () => {
    const { calls, socket } = await openRecorder()

    for (const method of ['get', 'update', 'patch', 'remove']) {
      await expect(call(socket, method, 'things')).rejects.toMatchObject({ code: 400 })
    }

    await expect(call(socket, 'get', 'things', null)).rejects.toMatchObject({
      code: 400,
      message: "Invalid id for 'get': expected a string or a number, got null"
    })
    expect(calls).toEqual([])
  })

  it.each(['1e999', '-1e999'])('%s is no number', async (id) => {
    const { calls, url } = await openRecorder()
    const raw = await openRaw(url)

    raw.send('40')
    await raw.receive('40{')
    raw.send(`421["get","things",${id}]`, `422["patch","things",${id},{}]`)
    expect(await raw.receive('431')).toContain('"code":400')
    expect(await raw.receive('432')).toContain('"code":400')
    expect(calls).toEqual([])
  })
})

describe('a query', () => {
  const long = (count: number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]))

  it.each([
    ['a text', 'a=1', 'expected an object'],
    ['a number', 1, 'expected an object'],
    ['true', true, 'expected an object'],
    ['an array', [], 'expected an object'],
    ['bytes', Buffer.from('a'), 'expected an object'],
    [
      'an object with bytes',
      { a: Buffer.from('a') },
      'expected strings, numbers, booleans, objects and arrays'
    ],
    ['too deep', nested(19), 'expected objects to nest at most 16 deep'],
    ['too deep by arrays', { a: JSON.parse('['.repeat(50) + ']'.repeat(50)) }, 'nest at most 16 deep'],
    ['an array that is too long', { a: Array(501).fill(1) }, 'expected at most 500 elements in an array'],
    ['too many parameters', long(1001), 'expected at most 1000 parameters'],
    [
      'too many parameters in arrays',
      { a: Array(500).fill(1), b: Array(500).fill(1), c: 1 },
      'expected at most 1000 parameters'
    ],
    ['with constructor', { constructor: 1 }, "'constructor' is not allowed as a name"],
    ['with __proto__', JSON.parse('{"__proto__":{"polluted":1}}'), "'__proto__' is not allowed as a name"],
    [
      'with __proto__ inside',
      JSON.parse('{"a":[{"b":{"__proto__":1}}]}'),
      "'__proto__' is not allowed as a name"
    ]
  ])('that is %s is refused', async (_title, query, message) => {
    const { calls, socket } = await openRecorder()

    for (const [method, ...args] of [['find'], ['get', 1], ['patch', 1, {}], ['custom', {}]]) {
      await expect(call(socket, method as string, 'things', ...args, query)).rejects.toMatchObject({
        name: 'BadRequest',
        code: 400,
        message: expect.stringContaining(message)
      })
    }

    expect(calls).toEqual([])
    expect(({} as any).polluted).toBeUndefined()
  })

  it('may be as deep, as long and as many as a query string', async () => {
    const { calls, socket } = await openRecorder()
    const queries = [nested(17), { a: Array(500).fill(1) }, long(1000)]

    for (const query of queries) await call(socket, 'find', 'things', query)

    expect(calls.map(([, params]) => params.query)).toEqual(queries)
  })
})

describe('data', () => {
  it.each([
    ['a text', 'a', 'got string'],
    ['a number', 1, 'got number'],
    ['true', true, 'got boolean'],
    ['bytes', Buffer.from('a'), 'got bytes'],
    ['too deep', nested(101), 'nest at most 100 deep']
  ])('that is %s is refused', async (_title, data, message) => {
    const { calls, socket } = await openRecorder()

    for (const [method, ...args] of [['create'], ['update', 1], ['patch', 1], ['custom']]) {
      await expect(call(socket, method as string, 'things', ...args, data)).rejects.toMatchObject({
        name: 'BadRequest',
        code: 400,
        message: expect.stringContaining(message)
      })
    }

    expect(calls).toEqual([])
  })

  it.each([[[1]], [['a']], [[null]], [[[]]], [[Buffer.from('a')]], [[{}, 1]]])(
    '%j is no list of objects',
    async (data) => {
      const { calls, socket } = await openRecorder()

      await expect(call(socket, 'create', 'things', data)).rejects.toMatchObject({
        code: 400,
        message: 'Invalid data: expected every element of the array to be an object'
      })
      expect(calls).toEqual([])
    }
  )

  it('that is null is refused, and for a custom method there is none', async () => {
    const { calls, socket } = await openRecorder()

    for (const [method, ...args] of [['create'], ['update', 1], ['patch', 1]]) {
      await expect(call(socket, method as string, 'things', ...args, null)).rejects.toMatchObject({
        code: 400,
        message: 'Invalid data: expected a JSON object or array, got null'
      })
    }

    expect(calls).toEqual([])
    // What a client leaves out in front of something is `null` on the wire.
    await call(socket, 'custom', 'things', undefined, { q: '1' })
    expect(calls).toEqual([['custom', {}, expect.objectContaining({ query: { q: '1' } })]])
  })

  it('is an empty object when there is none', async () => {
    const { calls, socket } = await openRecorder()

    await call(socket, 'create', 'things')
    await call(socket, 'custom', 'things')
    expect(calls.map((values) => values[1])).toEqual([{}, {}])
  })

  it('of a custom method may be any list', async () => {
    const { calls, socket } = await openRecorder()

    await call(socket, 'custom', 'things', [1, 'a', null])
    expect(calls[0]?.[1]).toEqual([1, 'a', null])
  })

  it('may be as deep as a body', async () => {
    const { calls, socket } = await openRecorder()

    await call(socket, 'create', 'things', nested(100))
    expect(calls[0]?.[1]).toEqual(nested(100))
  })

  it('keeps the bytes inside, on the way in and on the way out', async () => {
    const bytes = Buffer.from([0, 255, 1, 254])
    const seen: any[] = []
    const { socket } = await openRecorder((app) => {
      app.use('files', {
        create: async (data: any) => {
          seen.push(data)

          return { ...data, copies: [data.content] }
        }
      })
    })
    const result = await call(socket, 'create', 'files', { name: 'a', content: bytes })

    expect(Buffer.isBuffer(seen[0].content)).toBe(true)
    expect(seen).toEqual([{ name: 'a', content: bytes }])
    expect(result).toEqual({ name: 'a', content: bytes, copies: [bytes] })
  })

  it('with __proto__ as a name is refused', async () => {
    const { url } = await openRecorder((app) => app.use('records', memory()))
    const raw = await openRaw(url)

    raw.send('40')
    await raw.receive('40{')
    raw.send('421["create","records",{"__proto__":{"admin":true}}]')

    const [error, record] = JSON.parse((await raw.receive('431')).slice(3))

    expect(error).toMatchObject({ code: 400, message: "Invalid data: '__proto__' is not allowed as a name" })
    expect(record).toBeUndefined()
  })
})

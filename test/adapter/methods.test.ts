import { describe, expect, it } from 'vitest'
import { VALIDATED } from '../../src/adapter.ts'
import { EchoService, METHODS } from './echo.ts'

/** What a call is refused with. The adapter must not have been reached. */
async function refusal(service: EchoService, call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => expect.fail('The call was not refused'),
    (reason) => reason
  )

  expect(service.calls).toEqual([])

  return `${error.name}: ${error.message}`
}

describe('the public methods', () => {
  it('pass on what they got, with a checked query; only find has a page', async () => {
    const service = new EchoService()
    const params = { query: { $limit: '5', name: 'Ada' }, user: { id: 1 } }
    const page = { query: { $limit: 5, name: 'Ada' }, user: params.user }
    const record = { query: { name: 'Ada' }, user: params.user }
    const data = { a: 1 }

    await service.find(params)
    await service.get(1, params)
    await service.create(data, params)
    await service.update('2', data, params)
    await service.patch(3, data, params)
    await service.remove(4, params)

    expect(service.calls).toEqual([
      { method: '_find', params: page },
      { method: '_get', id: 1, params: record },
      { method: '_create', data, params: record },
      { method: '_update', id: '2', data, params: record },
      { method: '_patch', id: 3, data, params: record },
      { method: '_remove', id: 4, params: record }
    ])
  })

  it('need no params', async () => {
    const service = new EchoService()

    await service.find()
    await service.get(1)
    await service.create({})
    await service.update(1, {})
    await service.patch(1, {})
    await service.remove(1)

    expect(service.calls.map(({ params }) => params)).toEqual(METHODS.map(() => ({ query: {} })))
  })

  it('change nothing that they are given', async () => {
    const service = new EchoService({ multi: true, paginate: { default: 1 } })
    const query = Object.freeze({ $limit: '5', $select: Object.freeze(['a']), $or: Object.freeze([]) })
    const params: any = Object.freeze({ query })
    const data = Object.freeze({ a: 1 })

    await service.find(params)
    await service.create(Object.freeze([data]) as any, params)
    await service.update(1, data, params)
    await service.patch(null, data, params)
    await service.remove(null, params)

    expect(service.calls).toHaveLength(5)
  })

  it('refuse a malformed query, whatever the method', async () => {
    const calls: { [method: string]: (service: EchoService, params: any) => Promise<unknown> } = {
      find: (service, params) => service.find(params),
      get: (service, params) => service.get(1, params),
      create: (service, params) => service.create({}, params),
      update: (service, params) => service.update(1, {}, params),
      patch: (service, params) => service.patch(1, {}, params),
      remove: (service, params) => service.remove(1, params)
    }

    for (const call of Object.values(calls)) {
      const service = new EchoService()

      expect(await refusal(service, call(service, { query: { a: { $where: '1' } } }))).toBe(
        'BadRequest: Invalid query parameter $where'
      )
    }
  })
})

describe('a query that a schema has checked', () => {
  const checked = { $limit: 1, $skip: 1, a: { $anything: 1 } }
  const call = (service: EchoService, query: object) => service.patch(null, {}, { query })

  it('stays checked without its page', async () => {
    const service = new EchoService({ multi: true })

    await call(service, Object.defineProperty({ ...checked }, VALIDATED, { value: true }))

    const [{ params }] = service.calls

    expect(params.query).toStrictEqual({ a: { $anything: 1 } })
    expect(service.parse(params).where).toMatchObject({ kind: 'custom', operator: '$anything' })
    expect(await service.sanitizeQuery(params)).toBe(params.query)
  })

  it('is no query that the service has checked itself: what is added to that is checked, too', async () => {
    const service = new EchoService({ multi: true })

    await call(service, { $limit: 1, $skip: 1, a: 1 })

    const [{ params }] = service.calls

    const query = { ...params.query, b: { $anything: 1 } }

    expect(() => service.parse({ ...params, query })).toThrow('Invalid query parameter $anything')
  })
})

describe('several records at once', () => {
  it('are refused unless `multi` allows the method', async () => {
    for (const multi of [false, [], ['custom']]) {
      const service = new EchoService({ multi })

      expect(await refusal(service, service.create([{}]))).toBe(
        'MethodNotAllowed: Can not create multiple entries'
      )
      expect(await refusal(service, service.create([]))).toBe(
        'MethodNotAllowed: Can not create multiple entries'
      )
      expect(await refusal(service, service.patch(null, {}))).toBe(
        'MethodNotAllowed: Can not patch multiple entries'
      )
      expect(await refusal(service, service.remove(null))).toBe(
        'MethodNotAllowed: Can not remove multiple entries'
      )
    }
  })

  it('are passed on where `multi` allows the method', async () => {
    const all = new EchoService({ multi: true })

    await all.create([{ a: 1 }, { a: 2 }])
    await all.create([])
    await all.patch(null, { a: 1 })
    await all.remove(null)

    expect(all.calls.map(({ method }) => method)).toEqual(['_create', '_create', '_patch', '_remove'])

    const some = new EchoService({ multi: ['patch'] })

    expect(await refusal(some, some.remove(null))).toMatch(/^MethodNotAllowed/)
    await some.patch(null, {})
    expect(some.calls).toHaveLength(1)
  })

  it('follow `params.adapter`', async () => {
    const service = new EchoService()

    await service.patch(null, {}, { adapter: { multi: ['patch'] } })
    await service.create([{}], { adapter: { multi: true } })

    expect(service.calls).toHaveLength(2)

    const closed = new EchoService({ multi: true })

    expect(await refusal(closed, closed.remove(null, { adapter: { multi: false } }))).toMatch(
      /^MethodNotAllowed/
    )
  })

  it('concern all records that match: $limit and $skip are dropped', async () => {
    const service = new EchoService({ multi: true, paginate: { default: 1, max: 2 } })
    const params = { query: { $limit: 1, $skip: 1, $sort: { a: 1 }, $select: ['a'], a: 1 } }

    await service.patch(null, {}, params)
    await service.remove(null, params)

    for (const { params } of service.calls) {
      expect(params.query).toEqual({ $sort: { a: 1 }, $select: ['a'], a: 1 })
    }
  })

  it('are not counted either where a query has a $skip alone', async () => {
    const service = new EchoService({ multi: true })

    await service.patch(null, {}, { query: { $skip: 1, a: 1 } })
    await service.get(1, { query: { $skip: 1 } })

    expect(service.calls.map(({ params }) => params.query)).toStrictEqual([{ a: 1 }, {}])
  })

  it('are never replaced', async () => {
    for (const multi of [false, true]) {
      const service = new EchoService({ multi })
      const message = "BadRequest: You can not replace multiple instances. Did you mean 'patch'?"

      expect(await refusal(service, service.update(null, {}))).toBe(message)
      expect(await refusal(service, service.update(1, [{}]))).toBe(message)
      expect(await refusal(service, service.update(null, [{}]))).toBe(message)
    }
  })
})

describe('ids', () => {
  class RecordId {}

  const calls: ((service: EchoService, id: unknown) => Promise<unknown>)[] = [
    (service, id) => service.get(id),
    (service, id) => service.update(id, {}),
    (service, id) => service.patch(id, {}),
    (service, id) => service.remove(id)
  ]

  it.each(['a', '', '__proto__', 0, -1, 1.5, 12n, new RecordId(), new Date(0)])('%o is one', async (id) => {
    const service = new EchoService()

    for (const call of calls) await call(service, id)

    expect(service.calls.map((call) => call.id)).toEqual([id, id, id, id])
  })

  it.each([
    [undefined, 'nothing'],
    [{}, 'an object'],
    [{ $ne: null }, 'an object'],
    [JSON.parse('{ "constructor": "RecordId", "__proto__": {} }'), 'an object'],
    [Object.create(null), 'an object'],
    [['a'], 'an array'],
    [Buffer.from('a'), 'an instance of Buffer'],
    [true, 'a boolean'],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, 'a number that is too large'],
    [() => 1, 'a function'],
    [Symbol('id'), 'a symbol']
  ])('%o is none', async (id, got) => {
    const service = new EchoService({ multi: true })

    for (const call of calls) {
      expect(await refusal(service, call(service, id))).toBe(
        `BadRequest: Invalid id: expected a string or a number, got ${got}`
      )
    }
  })

  it('null is none for get', async () => {
    const service = new EchoService({ multi: true })

    expect(await refusal(service, service.get(null))).toBe(
      'BadRequest: Invalid id: expected a string or a number, got null'
    )
  })

  it('in data are checked too, under the name of the id field', async () => {
    const service = new EchoService({ id: 'key', multi: true })

    for (const key of [{ $ne: null }, {}, ['a'], true]) {
      expect(await refusal(service, service.create({ key }))).toMatch(/^BadRequest: Invalid id/)
      expect(await refusal(service, service.create([{ a: 1 }, { key }]))).toMatch(/^BadRequest: Invalid id/)
    }

    await service.create([{}, { key: null }, { key: undefined }, { key: 'a' }, { id: { any: 'value' } }])
    expect(service.calls).toHaveLength(1)
  })
})

describe('data', () => {
  it.each([
    [undefined, 'nothing'],
    [null, 'null'],
    ['text', 'a string'],
    [1, 'a number'],
    [true, 'a boolean'],
    [() => 1, 'a function']
  ])('%o is none', async (data: any, got) => {
    const service = new EchoService({ multi: true })
    const message = `BadRequest: Invalid data: expected an object, got ${got}`

    expect(await refusal(service, service.create(data))).toBe(message)
    expect(await refusal(service, service.create([{}, data]))).toBe(message)
    expect(await refusal(service, service.update(1, data))).toBe(message)
    expect(await refusal(service, service.patch(1, data))).toBe(message)
    expect(await refusal(service, service.patch(null, data))).toBe(message)
  })

  it('a list is none, except for create', async () => {
    const service = new EchoService({ multi: true })
    const message = 'BadRequest: Invalid data: expected an object, got an array'

    expect(await refusal(service, service.create([[]]))).toBe(message)
    expect(await refusal(service, service.patch(1, []))).toBe(message)
    expect(await refusal(service, service.patch(null, []))).toBe(message)
  })

  it('may be without a prototype, or an instance of a class', async () => {
    class Message {}

    const service = new EchoService({ multi: true })

    await service.create([Object.create(null), new Message()])
    expect(service.calls).toHaveLength(1)
  })
})

it('what is undefined in data does not reach the adapter, and the data stay as they are', async () => {
  const service = new EchoService({ multi: true })
  const data = Object.freeze({ id: undefined, text: 'Hello', none: undefined, deep: { none: undefined } })
  const reached = { text: 'Hello', deep: { none: undefined } }

  await service.create(data)
  await service.create([data, { text: 'Bye' }])
  await service.update(1, data)
  await service.patch(null, data)

  expect(service.calls.map((call: any) => call.data)).toStrictEqual([
    reached,
    [reached, { text: 'Bye' }],
    reached,
    reached
  ])
})

it('nothing can change data between the check and the adapter', async () => {
  const service = new EchoService({ multi: true })
  const data: any = { id: 1 }
  const call = service.create(data)

  data.id = { $ne: null }

  expect(await refusal(service, call)).toMatch(/^BadRequest: Invalid id/)

  const list: any = [{ id: 1 }]
  const second = service.create(list)

  list.push(null)

  expect(await refusal(service, second)).toMatch(/^BadRequest: Invalid data/)
})

describe('underscore methods', () => {
  it('trust their caller: no checks, nothing changed', async () => {
    const service = new EchoService()
    const params = { query: { $limit: '5' } }

    await service._patch(null, { a: 1 }, params)
    await service._create([{}], params)

    expect(service.calls.map((call) => call.params)).toEqual([params, params])
    expect(service.calls[0].params).toBe(params)
  })
})

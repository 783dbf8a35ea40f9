import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../../../src/schema/json-schema.ts'
import { type DocumentRequest, listOperations, RequestMaker } from '../src/document-requests.ts'
import { createValidators } from '../src/document-validators.ts'
import { createRandom, type Random } from '../src/random-values.ts'

const IMPOSSIBLE = { type: 'string', pattern: '^no such string$' }

const inPath = (name: string, schema: object) => ({ name, in: 'path', required: true, schema })
const inQuery = (name: string, schema: object, more: object = {}) => ({ name, in: 'query', schema, ...more })
const toRequestBody = (schema: JsonSchema, required = true) => ({
  required,
  content: { 'application/json': { schema } }
})

/** Makes requests for an operation of a document. */
async function createMaker(operation: object, random: Random = createRandom(1)): Promise<RequestMaker> {
  const document: any = { components: { schemas: { Text: { type: 'string', enum: ['text'] } } } }

  return new RequestMaker(
    { verb: 'GET', path: '/notes', ...operation } as never,
    document,
    await createValidators(document),
    random
  )
}

/** A hundred requests, and what was found in place of some. */
function repeat<T>(make: () => T): T[] {
  return Array.from({ length: 100 }, make)
}

const toUrls = (requests: readonly (DocumentRequest | undefined)[]) =>
  new Set(requests.map((one) => one?.url))
const toBodies = (requests: readonly (DocumentRequest | undefined)[]) =>
  new Set(requests.map((one) => one?.body))

it('the operations of a document have their verb in capitals and their path, and streams are left out', () => {
  const responses = {}
  const stream = { responses: { 200: { description: 'Events', content: { 'text/event-stream': {} } } } }
  const paths = {
    '/notes': { get: { operationId: 'a', responses }, post: { operationId: 'b', responses } },
    '/tags': { get: { responses } },
    '/events': { get: stream }
  }

  expect(listOperations({ paths } as never)).toEqual([
    { operationId: 'a', tags: [], verb: 'GET', path: '/notes', responses },
    { operationId: 'b', tags: [], verb: 'POST', path: '/notes', responses },
    { operationId: 'get /tags', tags: [], verb: 'GET', path: '/tags', responses }
  ])
})

describe('a valid request', () => {
  it('has the verb and the path of its operation, and no more than that', async () => {
    const maker = await createMaker({})

    expect(maker.valid([])).toEqual({
      verb: 'GET',
      url: '/notes',
      values: {},
      body: undefined,
      isValid: true
    })
  })

  it('has the body that its schema allows, as JSON', async () => {
    const schema = {
      type: 'object',
      properties: { a: { $ref: '#/components/schemas/Text' } },
      required: ['a']
    }
    const maker = await createMaker({ verb: 'POST', requestBody: toRequestBody(schema) })

    expect(toBodies(repeat(() => maker.valid([])))).toEqual(new Set(['{"a":"text"}']))
  })

  it('has any body where the document has no schema for it', async () => {
    const maker = await createMaker({ requestBody: { required: true, content: {} } })

    expect(toBodies(repeat(() => maker.valid([]))).size).toBeGreaterThan(3)
  })

  it('leaves out half of the bodies that are optional', async () => {
    const operation = { requestBody: toRequestBody({ const: 1 }, false) }
    const bodyAt = async (number: number) => (await createMaker(operation, () => number)).valid([])?.body

    expect([await bodyAt(0.4), await bodyAt(0.5)]).toEqual([undefined, '1'])
  })

  it.each([
    ['a body', { requestBody: toRequestBody(IMPOSSIBLE) }],
    ['a placeholder', { path: '/notes/{id}', parameters: [inPath('id', IMPOSSIBLE)] }],
    ['a required query', { parameters: [inQuery('text', IMPOSSIBLE, { required: true })] }],
    [
      'a required query that would have no name',
      { parameters: [inQuery('text', { const: [] }, { required: true })] }
    ]
  ])('is not made where no value is found for %s', async (_part, operation) => {
    expect((await createMaker(operation)).valid([])).toBeUndefined()
  })

  it('is tried for thirty times', async () => {
    // A value takes two numbers, the second of which picks the one of the list.
    const tries = (count: number) => {
      let index = 0

      return () => (++index < 2 * count ? 0.6 : 0)
    }
    const operation = { requestBody: toRequestBody({ enum: ['valid', 7], type: 'string' }) }

    expect((await createMaker(operation, tries(30))).valid([])?.body).toBe('"valid"')
    expect((await createMaker(operation, tries(31))).valid([])).toBeUndefined()
  })
})

describe('the path of a request', () => {
  const path = '/notes/{noteId}/tags/{id}'
  const parameters = [inPath('noteId', { const: 'a/b' }), inPath('id', { const: 'made ?' })]

  it('has an encoded value in place of each placeholder', async () => {
    const maker = await createMaker({ path, parameters })

    expect(maker.valid([])?.url).toBe('/notes/a%2Fb/tags/made%20%3F')
  })

  it('has seven of ten known values', async () => {
    const urlAt = async (number: number) =>
      (await createMaker({ path, parameters }, () => number)).valid([{ id: 'k/1' }])?.url

    expect(await urlAt(0.69)).toBe('/notes/a%2Fb/tags/k%2F1')
    expect(await urlAt(0.7)).toBe('/notes/a%2Fb/tags/made%20%3F')
  })

  it('has each of the known values', async () => {
    const maker = await createMaker({ path, parameters: parameters.slice(1) })
    const urls = toUrls(repeat(() => maker.valid([{ id: 1 }, { id: 2 }])))

    expect(urls).toEqual(new Set(['1', '2', 'made%20%3F'].map((id) => `/notes/{noteId}/tags/${id}`)))
  })

  it.each(['.', '..'])('has no segment %s, which would lead to another path', async (segment) => {
    const maker = await createMaker({ path: '/notes/{id}', parameters: [inPath('id', { const: segment })] })

    expect(maker.valid([])).toBeUndefined()
  })

  it.each(['...', '.a', 'a.', 'a..', '..a'])('may have the segment %s', async (segment) => {
    const maker = await createMaker({ path: '/notes/{id}', parameters: [inPath('id', { const: segment })] })

    expect(maker.valid([])?.url).toBe(`/notes/${segment}`)
  })
})

describe('the query of a request', () => {
  it.each([
    ['a value', inQuery('a b', { const: 'x&y' }), '/notes?a%20b=x%26y'],
    ['a list', inQuery('in[]', { const: ['x', '&'] }), '/notes?in%5B%5D=x&in%5B%5D=%26'],
    [
      'operators',
      inQuery('a', { const: { $gt: 1, $lt: '&' } }, { style: 'deepObject' }),
      '/notes?a%5B%24gt%5D=1&a%5B%24lt%5D=%26'
    ],
    ['a value that could have operators', inQuery('a', { const: 1 }, { style: 'deepObject' }), '/notes?a=1'],
    ['an object without a style', inQuery('a', { const: { b: 1 } }), '/notes?a=%5Bobject%20Object%5D']
  ])('has %s as its style says', async (_what, parameter, url) => {
    const maker = await createMaker({ parameters: [{ ...parameter, required: true }] })

    expect(maker.valid([])?.url).toBe(url)
  })

  it('has what is required, and leaves out what has no value', async () => {
    const parameters = [
      inQuery('first', { const: 1 }, { required: true }),
      inQuery('second', { const: 2 }, { required: true }),
      inQuery('none', IMPOSSIBLE),
      inPath('id', { const: 3 })
    ]
    const maker = await createMaker({ parameters })

    expect(toUrls(repeat(() => maker.valid([])))).toEqual(new Set(['/notes?first=1&second=2']))
  })

  it('has one or two of its optional parameters on average', async () => {
    const parameters = ['a', 'b', 'c'].map((name) => inQuery(name, { const: 1 }))
    const urlAt = async (number: number) => (await createMaker({ parameters }, () => number)).valid([])?.url

    expect(await urlAt(0.49)).toBe('/notes?a=1&b=1&c=1')
    expect(await urlAt(0.5)).toBe('/notes')
  })
})

describe('a damaged request', () => {
  const body = toRequestBody({
    type: 'object',
    properties: { a: { type: 'integer' } },
    additionalProperties: false
  })
  const limit = inQuery('limit', { type: 'integer' })

  it('has a body that the schema does not allow', async () => {
    const maker = await createMaker({
      verb: 'POST',
      path: '/notes/{id}',
      requestBody: body,
      parameters: [inPath('id', { const: 1 })]
    })
    const requests = repeat(() => maker.damaged([]))
    const { isValid } = await createValidators({ components: {} } as never)
    const { schema } = body.content['application/json']

    expect(toUrls(requests)).toEqual(new Set(['/notes/1']))
    expect(requests.every((request) => request?.isValid === false && request.verb === 'POST')).toBe(true)
    expect(requests.filter((request) => isValid(schema, JSON.parse(request?.body as string)))).toEqual([])
  })

  it('has a damaged body in seven of ten cases, and a wrong query in the others', async () => {
    const schema = { const: 'whole' }
    const requestAt = async (number: number) =>
      (await createMaker({ requestBody: toRequestBody(schema), parameters: [limit] }, () => number)).damaged(
        []
      )

    expect(await requestAt(0.69)).toMatchObject({ url: '/notes' })
    expect((await requestAt(0.69))?.body).not.toBe('"whole"')
    expect(await requestAt(0.7)).toEqual({
      verb: 'GET',
      url: '/notes?limit=%5Bobject%20Object%5D',
      values: {},
      body: '"whole"',
      isValid: false
    })
  })

  it('has one wrong value of one parameter of its query', async () => {
    const parameters = [
      inQuery('a b', { type: 'integer' }),
      inQuery('list[]', { type: 'array', items: { type: 'integer' } }),
      inPath('id', { const: 1 })
    ]
    const maker = await createMaker({ parameters })
    const wrong = ['maybe', 'x', '1e999', '%5Bobject%20Object%5D', '-']

    expect(toUrls(repeat(() => maker.damaged([])))).toEqual(
      new Set(['a%20b', 'list%5B%5D'].flatMap((name) => wrong.map((value) => `/notes?${name}=${value}`)))
    )
  })

  it('has operators where the parameter may have some', async () => {
    const schema = {
      anyOf: [
        { type: 'integer' },
        { type: 'object', properties: { $gt: { type: 'string' } }, additionalProperties: false }
      ]
    }
    const maker = await createMaker({ parameters: [inQuery('size', schema, { style: 'deepObject' })] })
    const names = repeat(() => maker.damaged([])?.url).map((url) =>
      decodeURIComponent(url?.match(/\?(.*)=/)?.[1] ?? '')
    )

    expect(new Set(names)).toEqual(new Set(['size', 'size[$regex]', 'size[$where]', 'size[undeclared]']))
  })

  it('has operators in half of the cases', async () => {
    const schema = { type: 'object', additionalProperties: false }
    const urlAt = async (number: number) =>
      (
        await createMaker({ parameters: [inQuery('size', schema, { style: 'deepObject' })] }, () => number)
      ).damaged([])?.url

    expect(await urlAt(0.49)).toBe('/notes?size%5B%24regex%5D=1e999')
    expect(await urlAt(0.5)).toBe('/notes?size=1e999')
  })

  it.each([
    ['has neither a body nor a query', {}],
    ['allows any body', { requestBody: toRequestBody({}) }],
    ['allows any string in its query', { parameters: [inQuery('text', { type: 'string' })] }],
    ['allows any list in its query', { parameters: [inQuery('text', { type: 'array' })] }],
    [
      'allows any operator',
      { parameters: [inQuery('text', { type: ['object', 'string'] }, { style: 'deepObject' })] }
    ],
    [
      'has a placeholder without a value',
      { path: '/{id}', requestBody: body, parameters: [inPath('id', IMPOSSIBLE)] }
    ],
    [
      'has a placeholder without a value, and a query',
      { path: '/{id}', parameters: [inPath('id', IMPOSSIBLE), limit] }
    ]
  ])('is not made where the operation %s', async (_what, operation) => {
    expect((await createMaker(operation)).damaged([])).toBeUndefined()
  })

  it('has no wrong query where no valid body is found', async () => {
    const maker = await createMaker({ requestBody: toRequestBody(IMPOSSIBLE), parameters: [limit] })

    expect(toUrls(repeat(() => maker.damaged([])))).toEqual(new Set(['/notes']))
  })

  it('has known values in its path', async () => {
    const parameters = [inPath('id', { const: 'made' }), limit]
    const maker = await createMaker({ path: '/{id}', parameters, requestBody: body })
    const ids = repeat(() => maker.damaged([{ id: 'known' }])?.url).map((url) => url?.split('?')[0])
    const isQuery = repeat(() => maker.damaged([{ id: 'known' }])?.url?.includes('?'))

    expect(new Set(ids)).toEqual(new Set(['/known', '/made']))
    expect(new Set(isQuery)).toEqual(new Set([true, false]))
  })
})

import { describe, expect, it } from 'vitest'
import { createValidators } from '../src/document-validators.ts'
import { findBreach, type Reply } from '../src/judge.ts'

const toContent = (schema: object) => ({ content: { 'application/json': { schema } } })

/** What the document says of errors, and refers to. */
const Refused = toContent({ type: 'object', required: ['message'] })
const TEXTS = toContent({ type: 'array', items: { type: 'string' } })

interface Judged {
  readonly responses?: object
  readonly security?: readonly object[]
  readonly isValid?: boolean
  readonly isAnonymous?: boolean
}

/** What is wrong with a response of an operation; it has a list of strings where nothing else is said. */
async function judge(
  reply: Partial<Reply>,
  { responses = { 200: TEXTS }, security = [], isValid = true, isAnonymous = false }: Judged = {}
): Promise<string | undefined> {
  const document: any = { components: { responses: { Refused } } }
  const operation: any = { security, responses }

  return findBreach(
    document,
    await createValidators(document),
    operation,
    { verb: 'GET', url: '/notes', values: {}, body: undefined, isValid },
    isAnonymous,
    { status: 200, type: 'application/json', text: '["a"]', ...reply }
  )
}

it('a response that the document describes has no breach', async () => {
  expect(await judge({})).toBeUndefined()
})

it.each(['', '["a"', '<p>a</p>'])('the body %j is a breach: it is not JSON', async (text) => {
  expect(await judge({ text })).toBe('the response 200 is no JSON')
})

it.each([500, 501, 599])('the status %d is a breach, even where the document has it', async (status) => {
  expect(await judge({ status }, { responses: { [status]: TEXTS } })).toBe(`the response is ${status}`)
})

describe('the status of a response', () => {
  const text = '{"message":"No"}'

  it.each([
    ['its number', 202, { 202: TEXTS }, '["a"]'],
    ['its hundred', 202, { '2XX': TEXTS }, '["a"]'],
    ['a reference', 409, { 409: { $ref: '#/components/responses/Refused' } }, text],
    ['the default of errors', 429, { default: Refused }, text],
    [
      'the default of errors, by a reference',
      405,
      { default: { $ref: '#/components/responses/Refused' } },
      text
    ]
  ])('is found by %s', async (_what, status, responses, body) => {
    expect(await judge({ status, text: body }, { responses })).toBeUndefined()
    expect(await judge({ status, text: '7' }, { responses })).toMatch(
      `the response ${status} is not what the document says: the body must be `
    )
  })

  it('is found by its number before its hundred, and by that before the default', async () => {
    const anything = toContent({})

    expect(await judge({ text: '7' }, { responses: { 200: anything, '2XX': TEXTS } })).toBeUndefined()
    expect(await judge({ status: 418 }, { responses: { '4XX': anything, default: Refused } })).toBeUndefined()
  })

  it.each([400, 401, 403, 404, 409])('%d is no other error: the document names it', async (status) => {
    expect(await judge({ status, text }, { responses: { default: Refused } })).toBe(
      `the document does not have the status ${status}`
    )
  })

  it.each([201, 302, 399])('%d is no error', async (status) => {
    expect(await judge({ status, text }, { responses: { default: Refused } })).toBe(
      `the document does not have the status ${status}`
    )
  })
})

describe('a response without credentials', () => {
  const closed = [{ bearer: [] }]
  const responses = { 200: TEXTS, 399: TEXTS, 400: TEXTS }

  it.each([
    [200, 'is a breach where they are required', closed, true, 'the response without credentials is 200'],
    [399, 'is a breach where they are required', closed, true, 'the response without credentials is 399'],
    [
      200,
      'is a breach where one of several is required',
      [{ a: [] }, { b: [] }],
      true,
      'the response without credentials is 200'
    ],
    [400, 'is none where it is refused', closed, true, undefined],
    [200, 'is none where there were credentials', closed, false, undefined],
    [200, 'is none where they are optional', [{ bearer: [] }, {}], true, undefined],
    [200, 'is none where the operation has no security', [], true, undefined]
  ])('of %d %s', async (status, _what, security, isAnonymous, breach) => {
    expect(await judge({ status }, { responses, security, isAnonymous })).toBe(breach)
  })
})

it('a request that is not valid has to be refused', async () => {
  const responses = { 200: TEXTS, 302: TEXTS, 399: TEXTS, 400: TEXTS }
  const judgeAt = (status: number) => judge({ status }, { responses, isValid: false })

  expect(await Promise.all([200, 399, 400].map(judgeAt))).toEqual([
    'the response to a request that is not valid is 200',
    'the response to a request that is not valid is 399',
    undefined
  ])
})

describe('a body', () => {
  it.each([
    [200, 'a', 'the response 200 has a body'],
    [299, 'a', 'the response 299 has a body'],
    [400, 'a', 'the response 400 has a body'],
    [200, '', undefined],
    [300, 'a page', undefined],
    [399, 'a page', undefined]
  ])('of %d where the document has none: %j', async (status, text, breach) => {
    expect(await judge({ status, text }, { responses: { [status]: {} } })).toBe(breach)
    expect(await judge({ status, text }, { responses: { [status]: { content: { 'text/html': {} } } } })).toBe(
      breach
    )
  })

  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON'])(
    'of the type %s is JSON',
    async (type) => {
      expect(await judge({ type })).toBeUndefined()
    }
  )

  it.each(['', 'text/html', 'application/jsonl', 'text/html; as=application/json'])(
    'of the type %j is no JSON',
    async (type) => {
      expect(await judge({ type })).toBe('the response 200 is no JSON')
    }
  )

  it('is what the document says, or its fault is named', async () => {
    expect(await judge({ text: '["a",7]' })).toBe(
      'the response 200 is not what the document says: /1 must be string'
    )
  })
})

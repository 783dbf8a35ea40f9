import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../../../src/schema/json-schema.ts'
import { createValidators } from '../src/document-validators.ts'

/** The validators of a document with these schemas. */
function createFor(schemas: { readonly [name: string]: JsonSchema } = {}) {
  return createValidators({ components: { schemas, responses: {}, securitySchemes: {} } } as never)
}

const FORMATS = {
  'date-time': {
    valid: [
      '2026-11-22T10:00:00Z',
      '1969-07-20T20:17:40.5Z',
      '1969-07-20T20:17:40.123456Z',
      '2026-11-22T10:00:00+05:30',
      '2026-11-22T10:00:00-08:00',
      '2026-11-22t10:00:00z'
    ],
    example: '0000-00-00T00:00:00+00:00',
    others: [
      '2026-11-22T10:00:00',
      '2026-11-22T10:00:00.Z',
      '2026-11-22T10:00:00.xZ',
      '2026-11-22T10:00:00,5Z',
      '2026-11-22T10:00:00*05:30',
      '2026-11-22T10:00:00+0530',
      '2026-11-22 10:00:00Z',
      '2026-11-22'
    ]
  },
  date: {
    valid: ['2026-11-22', '1969-07-20'],
    example: '0000-00-00',
    others: ['2026-11-22T10:00:00Z', '20261122']
  }
}

describe.each(Object.entries(FORMATS))('the format %s', (format, { valid, example, others }) => {
  /** Whether a value matches, as a response with it would be judged. */
  const createCheck = async () => {
    const { isValid } = await createFor()

    return (value: string) => isValid({ type: 'string', format }, value)
  }

  it('takes what it is for', async () => {
    const isTaken = await createCheck()

    expect(valid.filter((value) => !isTaken(value))).toEqual([])
  })

  it('has digits where digits are expected, and as many as that', async () => {
    const isTaken = await createCheck()
    const changed = [...example].flatMap((letter, index) =>
      letter === '0'
        ? ['x', '', '00'].map((other) => example.slice(0, index) + other + example.slice(index + 1))
        : []
    )

    expect(isTaken(example)).toBe(true)
    expect(changed.filter(isTaken)).toEqual([])
  })

  it('is matched from its beginning to its end', async () => {
    const isTaken = await createCheck()
    const surrounded = valid.flatMap((value) => [
      `x${value}`,
      ` ${value}`,
      `${value}x`,
      `${value}\n`,
      `0${value}`
    ])

    expect([...surrounded, ...others].filter(isTaken)).toEqual([])
  })
})

it('other formats are not validated', async () => {
  const { isValid } = await createFor()

  expect(isValid({ type: 'string', format: 'email' }, 'nobody')).toBe(true)
})

it('references lead into the document, wherever they are', async () => {
  const { isValid } = await createFor({
    Note: {
      type: 'object',
      properties: { next: { $ref: '#/components/schemas/Note' }, text: { type: 'string' } }
    }
  })
  const reference = { $ref: '#/components/schemas/Note' }
  const list = { type: 'array', items: { anyOf: [{ const: null }, reference] } }

  expect(isValid(reference, { next: { text: 'a' } })).toBe(true)
  expect(isValid(reference, { next: { text: 7 } })).toBe(false)
  expect(isValid(list, [null, { text: 'a' }])).toBe(true)
  expect(isValid(list, [null, { text: 7 }])).toBe(false)
})

it('a field may have the name of the keyword of references', async () => {
  const { isValid } = await createFor()
  const schema = { properties: { $ref: { type: 'string' } } }

  expect(isValid(schema, { $ref: 'a' })).toBe(true)
  expect(isValid(schema, { $ref: 7 })).toBe(false)
})

it('a fault names the place and what is expected there', async () => {
  const { findFault } = await createFor()
  const schema = { type: 'object', properties: { list: { items: { type: 'string' } } }, required: ['list'] }

  expect(findFault(schema, { list: ['a', 7] })).toBe('/list/1 must be string')
  expect(findFault(schema, {})).toBe("the body must have required property 'list'")
  expect(findFault(schema, { list: [] })).toBeUndefined()
})

it('the same schema is prepared once', async () => {
  const { isValid, findFault } = await createFor()
  const schema = { type: 'string', $id: 'prepared' }

  // Ajv refuses a second schema with the same id.
  expect(isValid(schema, 'a')).toBe(true)
  expect(isValid(schema, 7)).toBe(false)
  expect(findFault(schema, 7)).toBe('the body must be string')
})

it('keywords that Ajv does not know are ignored', async () => {
  const { isValid } = await createFor()

  expect(isValid({ type: 'string', format: 'date-time', 'x-alula-date': true }, '2026-11-22T10:00:00Z')).toBe(
    true
  )
})

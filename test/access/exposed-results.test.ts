import { expect, it } from 'vitest'
import { z } from 'zod'
import { exposure } from '../../src/access.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'

const Note = z.object({ id: z.int(), text: z.string() })

it('lists what leaves of lists in lists, and of maps', () => {
  const app = alula()
  const results = {
    anything: z.array(z.array(z.any())),
    map: { type: 'object', patternProperties: { '^(.*)$': { type: 'string' } } },
    texts: z.array(z.array(z.object({ text: z.string() })))
  }
  const methods = Object.keys(results)

  app.use('notes', Object.fromEntries(methods.map((name) => [name, async () => []])) as any, {
    methods,
    schema: schema(Note, {
      methods: Object.fromEntries(Object.entries(results).map(([name, result]) => [name, { result }]))
    } as any)
  })

  expect(Object.fromEntries(exposure(app).map(({ method, result }) => [method, result]))).toEqual({
    anything: null,
    map: ['*'],
    texts: ['text']
  })
})

it.each([
  [
    'of several forms',
    z.discriminatedUnion('kind', [
      Note.extend({ kind: z.literal('a') }),
      Note.extend({ kind: z.literal('b') })
    ])
  ],
  ['closed', Note.extend({ kind: z.string() })]
])('has no sign for undeclared fields where records are %s', (_title, record) => {
  const app = alula()

  app.use('notes', memory() as any, {
    methods: ['find'],
    schema: schema({ record, create: record, patch: record } as any)
  })

  expect(exposure(app)[0]?.result).toEqual(['id', 'text', 'kind'])
})

it('has the sign where records of one form are open', () => {
  const app = alula()
  const record = z.discriminatedUnion('kind', [
    z.looseObject({ id: z.int(), kind: z.literal('a') }),
    z.object({ id: z.int(), kind: z.literal('b') })
  ])

  app.use('notes', memory() as any, {
    methods: ['find'],
    schema: schema({ record, create: record, patch: record } as any)
  })

  expect(exposure(app)[0]?.result).toEqual(['id', 'kind', '*'])
})

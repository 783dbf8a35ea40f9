import { expect, it } from 'vitest'
import { alula } from '../../../src/index.ts'
import { SeenRecords } from '../src/contract/records.ts'
import type { DocumentRequest, Operation } from '../src/document-requests.ts'

const OPERATION = { verb: 'POST', path: '/notes', tags: ['notes'] } as unknown as Operation
const REQUEST: DocumentRequest = { verb: 'POST', url: '/notes', values: {}, body: undefined, isValid: true }

it.each(['', '<p>Done</p>'])('the body %j has no records, and is no error', (text) => {
  const seen = new SeenRecords(alula(), [OPERATION], new Map())
  const reply = { status: 201, type: 'text/html', text }

  seen.remember(OPERATION, REQUEST, reply)

  expect(seen.hasCreatedNothing(OPERATION, reply)).toBe(false)
  expect(seen.listValues({ ...OPERATION, path: '/notes/{id}' })).toEqual([])
})

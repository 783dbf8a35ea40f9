import { expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { toOpenApi } from '../../src/openapi.ts'
import { schema } from '../../src/schema.ts'

it.each([
  ['notes', 'Note'],
  ['users/:userId/note-tags', 'UserNoteTag'],
  ['news', 'News'],
  ['series', 'Series'],
  ['species', 'Species'],
  ['status', 'Status'],
  ['statuses', 'Status'],
  ['analytics', 'Analytics'],
  ['canvas', 'Canvas'],
  ['address', 'Address'],
  ['addresses', 'Address'],
  ['boxes', 'Box'],
  ['branches', 'Branch'],
  ['caches', 'Cache'],
  ['sizes', 'Size'],
  ['houses', 'House'],
  ['categories', 'Category'],
  ['movies', 'Movie'],
  ['cookies', 'Cookie'],
  ['keys', 'Key'],
  ['data', 'Data'],
  ['my-news', 'MyNews'],
  ['analysis', 'Analysis']
])('a record of %s is a %s', (path, name) => {
  const app: any = alula()

  app.use(path, memory(), { schema: schema({ type: 'object', properties: { id: { type: 'integer' } } }) })

  expect(Object.keys(toOpenApi(app).components.schemas)).toContain(name)
})

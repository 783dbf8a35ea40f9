// The names that an editor offers in a query of a service with three relations.
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createLanguageService } from '../support/language-service.ts'

const FILE = join(import.meta.dirname, 'completed.ts')

const APPLICATION = `
import { z } from 'zod'
import type { Application } from '../../src/index.ts'
import { count, many, one, schema, typed, type ServiceOf } from '../../src/schema.ts'

const User = z.object({ id: z.int(), name: z.string(), joined: z.date() })
const Comment = z.object({ id: z.int(), noteId: z.int(), text: z.string() })
const Note = z.object({ id: z.int(), text: z.string(), done: z.boolean().default(false), ownerId: z.int() })
const users = schema(User, { hidden: ['joined'] })
const notes = schema(Note, {
  relations: {
    author: one(typed<typeof users>('users'), { from: 'ownerId', filter: ['name'] }),
    comments: many(typed<z.output<typeof Comment>>('comments'), { to: 'noteId' }),
    commentCount: count('comments', { to: 'noteId' })
  }
})

declare const app: Application<{ notes: ServiceOf<typeof notes>; users: ServiceOf<typeof users> }>
`

const FIELDS = ['done', 'id', 'ownerId', 'text']
const RELATED = [
  'author.id',
  'author.joined',
  'author.name',
  'comments.id',
  'comments.noteId',
  'comments.text'
]

it.each([
  [
    'the fields, those of related records and what else a query may have',
    "app.service('notes').find({ query: { ‸ } })",
    ['$and', '$include', '$limit', '$nor', '$not', '$or', '$select', '$skip', '$sort', ...RELATED, ...FIELDS]
  ],
  [
    'the fields of related records, after the name of the relation',
    "app.service('notes').find({ query: { 'author.‸' } })",
    RELATED
  ],
  [
    'the names to sort by',
    "app.service('notes').find({ query: { $sort: { ‸ } } })",
    ['commentCount', ...FIELDS]
  ],
  [
    'the relations',
    "app.service('notes').find({ query: { $include: ['‸'] } })",
    ['author', 'commentCount', 'comments']
  ]
])('an editor offers %s', (_, program, names) => {
  expect(complete(program)).toEqual(expect.arrayContaining(names))
})

/** The names that an editor offers at the mark. */
function complete(program: string): string[] {
  const source = APPLICATION + program
  const service = createLanguageService(FILE, source.replace('‸', ''))
  const completions = service.getCompletionsAtPosition(FILE, source.indexOf('‸'), {})

  return (completions?.entries ?? []).map(({ name }) => name.replaceAll(/^['"]|['"]$/g, ''))
}

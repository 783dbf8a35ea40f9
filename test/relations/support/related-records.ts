import fc from 'fast-check'
import type { Path, Rule } from './relations.ts'

/** Each name that a query on a service may include, to three levels. */
const trees: { readonly [path in Path]?: readonly string[] } = {
  notes: [
    ...['author', 'comments', 'tags', 'commentCount', 'hasComments', 'author.boss', 'author.notes'],
    ...[
      'comments.author',
      'comments.on',
      'comments.author.boss',
      'author.boss.noteCount',
      'author.noteCount'
    ],
    'author.notes.tags'
  ],
  people: [
    'boss',
    'notes',
    'noteCount',
    'team',
    'boss.boss',
    'boss.boss.boss',
    'notes.comments.author',
    'boss.team'
  ],
  comments: ['author', 'on', 'on.tags', 'on.author.notes', 'author.noteCount', 'on.commentCount']
}

const id = fc.integer({ min: 1, max: 5 })

/** The records of all services, whose ids mean each other. */
export const rows = {
  people: fc.array(
    fc.record({
      name: fc.constantFrom('Ada', 'Bob', 'Eve'),
      boss_id: fc.option(id),
      secret: fc.constant('sentinel')
    }),
    { minLength: 1, maxLength: 5 }
  ),
  notes: fc.array(fc.record({ text: fc.constantFrom('a', 'b', 'c'), owner: fc.option(id) }), {
    minLength: 1,
    maxLength: 6
  }),
  comments: fc.array(fc.record({ note: id, author_id: id, text: fc.constantFrom('a', 'b') }), {
    maxLength: 6
  }),
  tags: fc.array(fc.record({ name: fc.constantFrom('x', 'y', 'z') }), { maxLength: 4 }),
  links: fc.array(fc.record({ note: id, tag: id }), { maxLength: 6 })
}

/** What clients may find of some services. */
export const rules = fc.record(
  {
    people: fc.constantFrom<Rule>('all', 'none', { name: { $ne: 'Bob' } }, { $or: [{ id: 1 }, { id: 2 }] }),
    notes: fc.constantFrom<Rule>('all', 'none', { text: 'a' }, { owner: { $ne: null } }),
    comments: fc.constantFrom<Rule>('all', 'none', { text: 'a' }),
    tags: fc.constantFrom<Rule>('all', 'none', { name: { $in: ['x'] } }),
    links: fc.constantFrom<Rule>('all', 'none')
  },
  { requiredKeys: [] }
)

/** A service and what a query on it includes. */
export const included = fc.constantFrom<Path>('notes', 'people', 'comments').chain((path) =>
  fc.record({
    path: fc.constant(path),
    names: fc.subarray([...(trees[path] as string[])], { minLength: 1, maxLength: 4 })
  })
)

/** A service, a relation of it, and a query that filters through that. */
export const filters = fc.constantFrom(
  ...[
    ['notes', 'author', { 'author.name': 'Ada' }],
    ['notes', 'author', { 'author.name': { $ne: 'Ada' } }],
    ['notes', 'comments', { 'comments.text': 'a' }],
    ['notes', 'comments', { 'comments.text': 'a', 'comments.author_id': { $lt: 3 } }],
    ['notes', 'tags', { 'tags.name': { $in: ['x', 'y'] } }],
    ['people', 'boss', { 'boss.name': 'Ada' }],
    ['people', 'notes', { 'notes.text': { $gt: 'a' } }]
  ]
) as fc.Arbitrary<[Path, string, Record<string, any>]>

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { access } from '../../src/access.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { COMPARISONS } from '../support/hostile.ts'
import { scaled } from '../support/scale.ts'
import { describeStores } from './support/stores.ts'

interface Note {
  id: number
  text: string | null
  age: number | null
  open: boolean | null
  ownerId: number | null
}

/** What a caller may have: as access says it, and written once more by hand. */
const DEMANDS: readonly [query: object, isInside: (note: Note) => boolean][] = [
  [{ ownerId: 1 }, ({ ownerId }) => ownerId === 1],
  [{ ownerId: { $ne: 2 } }, ({ ownerId }) => ownerId !== 2],
  [{ $or: [{ ownerId: 1 }, { open: true }] }, ({ ownerId, open }) => ownerId === 1 || open === true],
  [
    { ownerId: { $in: [1] }, text: { $ne: 'locked' } },
    ({ ownerId, text }) => ownerId === 1 && text !== 'locked'
  ],
  [
    { $and: [{ ownerId: 1 }, { $nor: [{ age: { $gte: 5 } }] }] },
    ({ ownerId, age }) => ownerId === 1 && !(age !== null && age >= 5)
  ]
]

const SEED: readonly Omit<Note, 'id'>[] = [1, 2, null, 1, 2].flatMap((ownerId, index) => [
  { text: 'a', age: index, open: false, ownerId },
  { text: index % 2 ? 'locked' : '7', age: 9 - index, open: index % 2 === 0, ownerId }
])

const fields = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('ownerId', 'ownerId', 'open', 'text', 'age', 'id') },
  { weight: 1, arbitrary: fc.constantFrom('OWNERID', 'ownerId.x', '$where') }
)

const scalars = fc.constantFrom<unknown>(
  1,
  2,
  '1',
  '2',
  0,
  -1,
  1.5,
  null,
  true,
  'true',
  '',
  'a',
  'locked',
  "1' or '1'='1"
)

const hostileValues: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: scalars },
  { weight: 1, arbitrary: fc.array(scalars, { maxLength: 2 }) },
  {
    weight: 3,
    arbitrary: fc.dictionary(
      fc.constantFrom(...COMPARISONS, '$exists', 'x', '$or'),
      fc.oneof(scalars, fc.array(scalars, { maxLength: 2 }), fc.constant({ $ne: 1 })),
      { maxKeys: 2 }
    )
  }
)

const { query: hostileQueries } = fc.letrec<{ query: object; level: object }>((tie) => ({
  level: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.dictionary(fields, hostileValues, { maxKeys: 2 }),
    fc.record(
      {
        $or: fc.oneof(fc.array(tie('level'), { maxLength: 3 }), tie('level'), hostileValues),
        $and: fc.oneof(fc.array(tie('level'), { maxLength: 3 }), tie('level'), hostileValues),
        $nor: fc.array(tie('level'), { maxLength: 2 }),
        $not: tie('level')
      },
      { requiredKeys: [] }
    )
  ),
  query: fc
    .tuple(
      tie('level'),
      fc.record(
        {
          $limit: fc.constantFrom(0, 1, '5', 1000, -1),
          $skip: fc.constantFrom(0, 1),
          $select: fc.constantFrom(['text'], ['ownerId'], ['id']),
          $sort: fc.constant({ ownerId: -1 })
        },
        { requiredKeys: [] }
      )
    )
    .map(([level, page]) => ({ ...level, ...page }))
}))

const hostileData = fc.oneof(
  fc.record(
    {
      ownerId: fc.constantFrom<unknown>(1, 2, '1', '2', null, true, [1], { $ne: 1 }),
      open: fc.constantFrom<unknown>(true, false, null, 'true', 1),
      text: fc.constantFrom<unknown>('b', 'locked', 'LOCKED', 'locked ', null, 1),
      age: fc.constantFrom<unknown>(1, 7, '7', null, 4.9, 5),
      id: fc.constantFrom<unknown>(1, 99, '2')
    },
    { requiredKeys: [] }
  ),
  fc.constantFrom<object>({ $set: { ownerId: 2 } }, { OWNERID: 2 }, { 'ownerId.x': 1 }, { ownerid: 2 })
)

const calls = fc.record({
  method: fc.constantFrom(
    'find',
    'find',
    'get',
    'create',
    'createMany',
    'update',
    'patch',
    'patchMany',
    'remove',
    'removeMany'
  ),
  demand: fc.constantFrom(...DEMANDS),
  // Some writes have to come so far that the data decides.
  query: fc.oneof(fc.constant({}), hostileQueries),
  data: hostileData,
  position: fc.nat({ max: SEED.length - 1 }),
  provider: fc.constantFrom('rest', 'socketio'),
  // The user whose notes the path names: 3 is closed to the caller, and 4 is not there.
  parent: fc.constantFrom(undefined, undefined, '1', '2', '3', '4')
})

const isOpen = (parent: string) => parent === '1' || parent === '2'

describeStores('hostile calls', 'alula_access', (create) => {
  it('neither return, nor change, nor count a record outside', async () => {
    const app = alula()
    const store = await create()
    let demanded: object = {}

    app.use('notes', store, { access: access({ all: () => demanded }) })

    app.use('users', memory({ store: { 1: { id: 1 }, 2: { id: 2 }, 3: { id: 3 } } }), {
      access: access({ get: () => ({ id: { $ne: 3 } }) })
    })
    app.use('users/:user/notes', store, {
      access: access({ all: () => demanded }),
      parent: { ownerId: 'users' }
    })

    const notes: any = app.service('notes')
    const readAll = async (): Promise<Note[]> => {
      const all: Note[] = await notes.find({ paginate: false, query: { $sort: { id: 1 } } })

      return all.map((note) => ({ ...note, open: note.open === null ? null : Boolean(note.open) }))
    }
    let before: Note[] = await notes.create(SEED).then(readAll)

    await fc.assert(
      fc.asyncProperty(
        calls,
        async ({ method, demand: [query, isDemanded], query: hostile, data, position, provider, parent }) => {
          demanded = query

          const { id } = before[position] as Note
          const params = { provider, query: hostile, ...(parent && { route: { user: parent } }) }
          const called: any = app.service(parent ? 'users/:user/notes' : 'notes')
          const isInside = (note: Note) =>
            isDemanded(note) && (!parent || (isOpen(parent) && note.ownerId === Number(parent)))
          const inside = new Map(
            before.map((note) => [note.id, note] as const).filter(([, note]) => isInside(note))
          )
          const [result, error] = await run(called, method, id, data, params).then(
            (value) => [value, undefined],
            (thrown) => [undefined, thrown]
          )
          const after = await readAll()
          const known = new Set(before.map((note) => note.id))
          const returned: Note[] = result === undefined ? [] : [result.data ?? result].flat()

          if (error) expect(error.code, error).toBeLessThan(500)
          if (parent && !isOpen(parent)) {
            expect(error).toMatchObject({ code: 404, message: `No record found for user '${parent}'` })
          }
          if (result?.total !== undefined) expect(result.total).toBeLessThanOrEqual(inside.size)
          for (const note of returned) expect(inside.has(note.id) || !known.has(note.id)).toBe(true)
          for (const note of before) {
            const now = after.find((other) => other.id === note.id)

            if (!inside.has(note.id)) expect(now).toEqual(note)
            else if (now) expect(isInside(now)).toBe(true)
            else expect(method).toMatch(/^remove/)
          }
          for (const note of after) if (!known.has(note.id)) expect(isInside(note)).toBe(true)

          if (JSON.stringify(after) === JSON.stringify(before)) return

          await store._remove(null)
          await store._create(SEED)
          before = await readAll()
        }
      ),
      { numRuns: scaled(12_500) }
    )
  })
})

async function run(notes: any, method: string, id: number, data: object, params: object): Promise<any> {
  switch (method) {
    case 'find':
      return await notes.find(params)
    case 'get':
    case 'remove':
      return await notes[method](id, params)
    case 'create':
      return await notes.create(data, params)
    case 'createMany':
      return await notes.create([{ ownerId: 1, text: 'x' }, data], params)
    case 'patchMany':
      return await notes.patch(null, data, params)
    case 'removeMany':
      return await notes.remove(null, params)
    default:
      return await notes[method](id, data, params)
  }
}

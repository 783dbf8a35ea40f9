import { expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone } from '../../src/access.ts'
import type { Application } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { describeRemoteTransports } from '../support/transports.ts'

const Note = z.object({
  id: z.int(),
  kind: z.enum(['memo', 'list']).nullable(),
  text: z.string().nullable(),
  title: z.string(),
  tags: z.array(z.string()),
  ranks: z.array(z.int()).nullable(),
  secret: z.string().nullable(),
  secrets: z.array(z.string())
})

const NOTES = [
  {
    id: 1,
    kind: 'memo',
    text: 'a',
    title: 'A',
    tags: ['hot', '7'],
    ranks: [1, 2],
    secret: null,
    secrets: ['x']
  },
  { id: 2, kind: null, text: null, title: 'B', tags: [], ranks: null, secret: 's', secrets: [] },
  { id: 3, kind: 'list', text: '', title: 'C', tags: ['HOT', 'a'], ranks: [2], secret: null, secrets: [] }
]

function configure(app: Application<any>): void {
  const options = () => ({ store: NOTES, operators: ['$contains', '$overlaps', '$not'] })

  app.use('notes', memory(options()), {
    schema: schema(Note, { hidden: ['secret', 'secrets'] }),
    access: access({ find: anyone }),
    methods: ['find']
  })
  app.use('plain', memory(options()), { access: access({ find: anyone }), methods: ['find'] })
}

describeRemoteTransports('null and lists in queries', (open) => {
  it.each([
    [{ text: { $null: true } }, [2]],
    [{ text: { $null: false } }, [1, 3]],
    [{ text: { $null: 'true' } }, [2]],
    [{ text: { $null: 'false', $ne: 'a' } }, [3]],
    [{ text: '' }, [3]],
    [{ kind: { $null: true } }, [2]],
    [{ ranks: { $null: true } }, [2]],
    [{ $or: [{ kind: { $null: true } }, { text: 'a' }] }, [1, 2]],
    [{ tags: { $contains: 'hot' } }, [1]],
    [{ tags: { $contains: '7' } }, [1]],
    [{ tags: { $not: { $contains: 'hot' } } }, [2, 3]],
    [{ tags: { $overlaps: ['hot', 'a'] } }, [1, 3]],
    [{ ranks: { $contains: 2 } }, [1, 3]],
    [{ ranks: { $contains: '1' } }, [1]],
    [{ ranks: { $overlaps: [1, 5] }, tags: { $contains: 'hot' } }, [1]]
  ])('%j', async (query, ids) => {
    const client = await open((app) => void configure(app))

    for (const path of ['notes', 'plain']) {
      const found = await client.call('find', path, { query })

      expect(
        found.map(({ id }: any) => id),
        path
      ).toEqual(ids)
    }
  })

  it('an empty string is null for an enum that does not list it', async () => {
    const client = await open((app) => void configure(app))

    expect(await client.call('find', 'notes', { query: { kind: '' } })).toMatchObject([{ id: 2 }])
    expect(await client.call('find', 'notes', { query: { kind: { $ne: '' } } })).toHaveLength(2)
    expect(await client.call('find', 'notes', { query: { kind: { $in: ['', 'memo'] } } })).toHaveLength(2)
  })

  it.each([
    ['notes', { text: { $null: 'yes' } }, "Invalid query: '$null' expects true or false, got a string"],
    ['plain', { text: { $null: '1' } }, "Invalid query: '$null' expects true or false, got a string"],
    ['plain', { text: { $null: ['true'] } }, "Invalid query: '$null' expects true or false, got an array"],
    ['notes', { title: { $null: true } }, /title/],
    ['notes', { ranks: { $contains: 'many' } }, /ranks/],
    ['notes', { tags: 'hot' }, /tags/],
    ['notes', { secret: { $null: true } }, /secret/],
    ['notes', { secrets: { $contains: 'x' } }, /secrets/],
    ['notes', { $or: [{ secrets: { $overlaps: ['x'] } }] }, /secrets/]
  ])('a 400 of %s for %j', async (path, query, message) => {
    const client = await open((app) => void configure(app))

    await expect(client.call('find', path, { query })).rejects.toMatchObject({
      code: 400,
      message: typeof message === 'string' ? message : expect.stringMatching(message)
    })
  })
})

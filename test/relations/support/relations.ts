import { z } from 'zod'
import { access } from '../../../src/access.ts'
import { callService } from '../../../src/core/call.ts'
import { alula } from '../../../src/index.ts'
import { memory } from '../../../src/memory.ts'
import { count, exists, many, one, schema } from '../../../src/schema.ts'

export const Person = z.object({
  id: z.int(),
  name: z.string(),
  boss_id: z.int().nullable(),
  secret: z.string()
})

export const Note = z.object({ id: z.int(), text: z.string(), owner: z.int().nullable() })

export const Comment = z.object({ id: z.int(), note: z.int(), author_id: z.int(), text: z.string() })

const Tag = z.object({ id: z.int(), name: z.string() })

const Link = z.object({ id: z.int(), note: z.int(), tag: z.int() })

export const relations = {
  people: {
    boss: one('people', { from: 'boss_id', filter: ['name'] }),
    notes: many('notes', { to: 'owner', filter: ['text'] }),
    noteCount: count('notes', { to: 'owner' }),
    team: count('people', { to: 'boss_id' })
  },
  notes: {
    author: one('people', { from: 'owner', filter: ['name'] }),
    comments: many('comments', { to: 'note', filter: ['text', 'author_id'] }),
    tags: many('tags', { through: { path: 'links', from: 'note', to: 'tag' }, filter: ['name'] }),
    commentCount: count('comments', { to: 'note' }),
    hasComments: exists('comments', { to: 'note' })
  },
  comments: { author: one('people', { from: 'author_id' }), on: one('notes', { from: 'note' }) },
  tags: {},
  links: {}
}

/** New for each application: a declaration belongs to one service. */
export const declare = {
  people: () => schema(Person, { hidden: ['secret'], relations: relations.people }),
  notes: () => schema(Note, { relations: relations.notes }),
  comments: () => schema(Comment, { relations: relations.comments }),
  tags: () => schema(Tag),
  links: () => schema(Link)
}

export type Path = keyof typeof declare

export const paths = Object.keys(declare) as Path[]

/** What clients may find: all, nothing, or what a condition lets them. */
export type Rule = 'all' | 'none' | object

export interface Guarded {
  rules: { readonly [path in Path]?: Rule }
}

/** The rules can be changed while the application runs. */
export function toAccess(guarded: Guarded, path: Path) {
  return access({
    all: () => {
      const rule = guarded.rules[path] ?? 'all'

      return typeof rule === 'object' ? rule : rule === 'all'
    }
  })
}

export interface Store {
  readonly app: any
  readonly guarded: Guarded
  /** The statements since it was emptied. */
  readonly statements: string[]
}

export function createInMemory(): Store {
  const app: any = alula()
  const guarded: Guarded = { rules: {} }

  for (const path of paths) {
    app.use(path, memory({ multi: true, operators: ['$nor', '$not'] }), {
      schema: declare[path](),
      access: toAccess(guarded, path)
    })
  }

  return { app, guarded, statements: [] }
}

export async function ask(app: any, path: string, query: object): Promise<any[]> {
  const context = await callService(app.service(path), {
    method: 'find',
    params: { provider: 'rest', query }
  } as any)

  return context.dispatch as any[]
}

/** Things with ids of text, each with one above it and others below. */
export function declareThings(): ReturnType<typeof schema> {
  const Thing = z.object({ id: z.string(), parent: z.string().nullable() })

  return schema({
    record: Thing,
    create: Thing,
    relations: {
      above: one('things', { from: 'parent' }),
      below: many('things', { to: 'parent' }),
      number: count('things', { to: 'parent' })
    }
  })
}

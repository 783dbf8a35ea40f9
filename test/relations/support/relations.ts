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

/** What clients of the secretive application get where they ask for nothing else. */
export const DEFAULTS: { readonly [path in Path]?: string[] } = {
  people: ['boss.boss', 'notes.comments.author', 'team'],
  notes: ['author.notes', 'tags', 'comments.author', 'commentCount', 'hasComments'],
  comments: ['author.boss', 'on.tags']
}

/** New for each application: a declaration belongs to one service. The second one hides what links records. */
export const declare = {
  people: (hidden: string[] = [], include: string[] = []) =>
    schema(Person, { hidden: ['secret', ...hidden], relations: relations.people, include }),
  notes: (hidden: string[] = [], include: string[] = []) =>
    schema(Note, { hidden, relations: relations.notes, include }),
  comments: (hidden: string[] = [], include: string[] = []) =>
    schema(Comment, { hidden, relations: relations.comments, include }),
  tags: (hidden: string[] = []) => schema(Tag, { hidden }),
  links: (hidden: string[] = []) => schema(Link, { hidden })
}

/** Fields that link records, for an application that hides them. */
export const LINKING: { readonly [path in Path]: string[] } = {
  people: ['id', 'boss_id'],
  notes: ['id', 'owner'],
  comments: ['id', 'note'],
  tags: ['id'],
  links: ['id', 'note', 'tag']
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
  /** The same records in an application that hides what links them. */
  readonly secretive: any
  readonly guarded: Guarded
  /** The statements since it was emptied. */
  readonly statements: string[]
}

export function createInMemory(): Store {
  const services = paths.map((path) => [path, memory({ multi: true, operators: ['$nor', '$not'] })] as const)

  return { ...register(services), statements: [] }
}

/** Registers services in two applications. */
export function register(
  services: readonly (readonly [path: Path, service: object])[]
): Omit<Store, 'statements'> {
  const [app, secretive]: any[] = [alula(), alula()]
  const guarded: Guarded = { rules: {} }

  for (const [path, service] of services) {
    app.use(path, service, { schema: declare[path](), access: toAccess(guarded, path) })
    secretive.use(path, service, {
      schema: declare[path](LINKING[path], DEFAULTS[path]),
      access: toAccess(guarded, path)
    })
  }

  return { app, secretive, guarded }
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

import type { HookContext, Params, RouteParams } from 'alula'
import { access, owner, user } from 'alula/access'
import { assertAuthenticated } from 'alula/authentication'
import { KyselyService } from 'alula/kysely'
import { count, many, one, onWrite, type ServiceOf, schema, typed } from 'alula/schema'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Tables } from './database.js'
import type { Application } from './declarations.js'
import type { Tag } from './tags.js'
import type { User } from './users.js'

export const Note = z.object({
  id: z.int(),
  text: z.string().trim().min(1).max(1000),
  done: z.boolean().default(false),
  ownerId: z.int(),
  createdAt: z.date(),
  updatedAt: z.date()
})

export type Note = z.infer<typeof Note>

const declared = schema(Note, {
  server: {
    ownerId: (context) => toUser(context).id,
    createdAt: () => new Date(),
    updatedAt: onWrite(() => new Date())
  },
  relations: {
    author: one(typed<User>('users'), { from: 'ownerId' }),
    tags: many(typed<Tag>('tags'), { to: 'noteId', filter: ['name'] }),
    tagCount: count('tags', { to: 'noteId' })
  },
  methods: {
    finish: { data: z.object({ ids: z.array(z.int()).max(100) }), result: z.object({ count: z.int() }) },
    complete: { data: z.object({}), result: Note }
  }
})

declare module './declarations.js' {
  interface Services {
    notes: ServiceOf<typeof declared>
  }
}

class Notes extends KyselyService<Note> {
  /** Marks several notes of the caller as done. */
  async finish({ ids }: { ids: number[] }, params?: Params): Promise<{ count: number }> {
    const query = { ownerId: params?.user?.id, id: { $in: ids }, done: false }
    const finished = await this._patch(null, { done: true, updatedAt: new Date() }, { query })

    return { count: [finished].flat().length }
  }

  /** Marks the note of the path as done. */
  async complete(_data: object, params: RouteParams<'PUT /:id/done'>): Promise<Note> {
    const query = { ownerId: params.user?.id }

    return this._patch(params.route.id, { done: true, updatedAt: new Date() }, { query })
  }
}

/** The notes of each user. */
export const notes = (db: Kysely<Tables>) => (app: Application) => {
  app.use('notes', new Notes({ Model: db, name: 'notes', paginate: { default: 10, max: 50 } }), {
    schema: declared,
    // The notes of others are not there.
    access: access({ all: owner('ownerId'), finish: user, complete: user }),
    methods: ['find', 'get', 'create', 'patch', 'remove', 'finish', 'complete'],
    routes: { 'PUT /:id/done': 'complete' }
  })
  app.service('notes').publish((note: Note) => app.channel(`users/${note.ownerId}`))
}

function toUser(context: HookContext) {
  assertAuthenticated(context)

  return context.params.user
}

import { access, owner } from 'alula/access'
import { assertAuthenticated } from 'alula/authentication'
import { KyselyService } from 'alula/kysely'
import { type ServiceOf, schema } from 'alula/schema'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Tables } from './database.js'
import type { Application } from './declarations.js'

export const Tag = z.object({
  id: z.int(),
  name: z.string().trim().min(1).max(50),
  noteId: z.int(),
  ownerId: z.int()
})

export type Tag = z.infer<typeof Tag>

const declared = schema(Tag, {
  server: {
    ownerId: (context) => {
      assertAuthenticated(context)

      return context.params.user.id
    }
  }
})

declare module './declarations.js' {
  interface Services {
    tags: ServiceOf<typeof declared, 'find' | 'create' | 'remove'>
  }
}

/** Words that users put on their notes. */
export const tags = (db: Kysely<Tables>) => (app: Application) => {
  app.use('tags', new KyselyService<Tag>({ Model: db, name: 'tags' }), {
    schema: declared,
    access: access({ all: owner('ownerId') }),
    methods: ['find', 'create', 'remove']
  })
}

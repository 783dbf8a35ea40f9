import { z } from 'zod'
import type { Application } from '../../../src/index.ts'
import { MemoryService, memory } from '../../../src/memory.ts'
import { schema } from '../../../src/schema.ts'

/** Stands in everything that must not leave. */
export const SECRET = 'sentinel-4711'

export const User = z.object({ id: z.int(), name: z.string(), password: z.string() })

export const Note = z.object({
  id: z.int(),
  text: z.string(),
  ownerId: z.int(),
  key: z.string().optional(),
  address: z.object({ city: z.string(), code: z.string().optional() }).optional(),
  parts: z.array(z.object({ name: z.string() })).optional(),
  extra: z.any().optional()
})

export const note = {
  ...{ text: 'a', ownerId: 0, key: SECRET, hash: SECRET },
  address: { city: 'Rome', code: SECRET, street: SECRET },
  parts: [{ name: 'x', price: SECRET }],
  extra: { anything: 1 }
}

export class Notes extends MemoryService {
  async copy() {
    return { note: await this._get(0), user: await this.app.service('users').get(0) }
  }

  /** Records that no hook has seen. */
  async raw() {
    return { list: [await this._get(0)], ...(await this._get(0)) }
  }

  /** The same, whose schema declares all fields of a record. */
  async declared() {
    return await this.raw()
  }

  async counted() {
    return { count: 1, hash: SECRET }
  }

  app!: Application

  async setup(app: Application) {
    this.app = app
  }
}

export async function configure(app: Application): Promise<void> {
  app.use('users', memory({ store: { 0: { id: 0, name: 'Ada', password: SECRET } } }), {
    schema: schema(User, { hidden: ['password'] })
  })

  const notes = new Notes({ multi: true, store: { 0: { id: 0, ...note } }, paginate: { default: 10 } })

  notes.app = app
  app.use('notes', notes, {
    methods: ['find', 'get', 'create', 'update', 'patch', 'remove', 'copy', 'counted', 'declared', 'raw'],
    schema: schema(Note, {
      hidden: ['key', 'address.code'],
      unknown: 'drop',
      computed: {
        author: {
          from: ['ownerId'],
          many: (records, context) =>
            Promise.all(records.map(({ ownerId }) => context.app.service('users').get(ownerId)))
        }
      },
      methods: {
        counted: { result: z.object({ count: z.int() }) },
        declared: { result: Note.extend({ list: z.array(Note) }) }
      }
    })
  })
}

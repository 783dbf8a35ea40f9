import { z } from 'zod'
import { access, anyone, closed, owner, role, user } from '../../../src/access.ts'
import { hashPassword } from '../../../src/authentication.ts'
import { type MemoryService, memory } from '../../../src/memory.ts'
import { one, schema } from '../../../src/schema.ts'
import { addAuthentication } from '../../support/login.ts'

const User = z.object({
  id: z.int(),
  email: z.email(),
  password: z.string().min(8),
  role: z.enum(['user', 'admin']).default('user')
})

const Note = z.object({
  id: z.int(),
  text: z.string().min(1).max(500).describe('What is to be done.'),
  priority: z.int().min(0).max(9).optional(),
  state: z.enum(['open', 'waiting', 'done']).default('open'),
  pinned: z.boolean().optional(),
  due: z.date().optional(),
  address: z.object({ city: z.string(), zip: z.string().optional() }).optional(),
  tags: z.array(z.string()).optional(),
  ownerId: z.int(),
  secret: z.string().optional(),
  createdAt: z.date()
})

/** The users of the application, who log in with their email and the same password. */
export const PASSWORD = 'correct horse'
export const ADA = 'ada@example.com'
export const GRACE = 'grace@example.com'

/** Fills an application for the page with users, their notes, and events for those who are logged in. */
export function configureShop(app: any): void {
  app.configure(closed())
  addAuthentication(app)
  app.use('users', memory({ startId: 1 }), {
    schema: schema(User, { hidden: ['password'] }),
    access: access({ find: user, get: user, create: anyone, remove: role('admin') }),
    methods: ['find', 'get', 'create', 'remove']
  })
  app.service('users').hooks({ before: { create: [hashPassword('password')] } })

  const notes = Object.assign(memory({ startId: 1, paginate: { default: 10, max: 100 } }), {
    async archive(this: MemoryService, { before }: { before: string }) {
      const { total } = (await this.find({
        query: { createdAt: { $lt: new Date(before) }, $limit: 0 }
      })) as any

      return { count: total }
    },
    async favorite(_data: unknown, { route }: any) {
      return { id: route.id, favorited: true }
    }
  })

  app.use('notes', notes, {
    schema: schema(Note, {
      server: {
        ownerId: ({ params }: any) => params.user.id,
        createdAt: () => new Date()
      },
      hidden: ['secret'],
      relations: { owner: one('users', { from: 'ownerId', filter: ['email'] }) },
      methods: {
        archive: { data: z.object({ before: z.iso.date() }), result: z.object({ count: z.int() }) }
      }
    } as any),
    access: access({
      find: anyone,
      get: anyone,
      create: user,
      patch: owner('ownerId'),
      remove: owner('ownerId'),
      archive: role('admin'),
      favorite: user
    }),
    methods: ['find', 'get', 'create', 'patch', 'remove', 'archive', 'favorite'],
    routes: { 'POST /:id/favorite': 'favorite' }
  })
  app.use('files', memory({ startId: 1 }), {
    access: access({ find: anyone, create: user }),
    methods: ['find', 'create']
  })

  app.on('connection', (connection: any) => app.channel('everybody').join(connection))
  app.service('notes').publish(() => app.channel('everybody'))
  app.on('login', (_: unknown, { connection }: any) => connection && app.channel('users').join(connection))
}

/** Creates the two users. */
export async function createUsers(app: any): Promise<void> {
  for (const email of [ADA, GRACE]) await app.service('users').create({ email, password: PASSWORD })
}

import { loginAs } from 'alula-testing'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { access, anyone, owner, role, user } from '../../../src/access.ts'
import type { AuthenticationService } from '../../../src/authentication.ts'
import { type Application, alula } from '../../../src/index.ts'
import { type McpOptions, mcp } from '../../../src/mcp.ts'
import { memory } from '../../../src/memory.ts'
import { schema } from '../../../src/schema.ts'
import { addAuthentication } from '../../support/login.ts'

export const RESOURCE = 'http://localhost/mcp'

/** Users who call: 1 and 2 are equal, 3 is an administrator. */
export const USERS = {
  1: { id: 1, email: 'ada@example.com', password: 'hash of ada', role: 'reader' },
  2: { id: 2, email: 'grace@example.com', password: 'hash of grace', role: 'reader' },
  3: { id: 3, email: 'root@example.com', password: 'hash of root', role: 'admin' }
}

const User = z.object({ id: z.int(), email: z.string(), password: z.string(), role: z.string() })

const Note = z
  .object({
    id: z.int(),
    text: z.string().min(1).max(100),
    state: z.enum(['open', 'done']).default('open'),
    secret: z.string(),
    ownerId: z.int()
  })
  .describe('What somebody has to remember.')

/** Notes of users, users, and posts that all may read. */
export function configureNotes(app: Application): void {
  addAuthentication(app)
  app.use('users', memory({ store: structuredClone(USERS) }), {
    methods: ['find', 'get'],
    schema: schema(User, { hidden: ['password'] }),
    access: access({ find: role('admin'), get: user })
  })
  app.use(
    'notes',
    Object.assign(memory({ multi: ['remove', 'create', 'patch'], paginate: { default: 50, max: 1000 } }), {
      finish: async ({ ids }: { ids: number[] }) => ({ count: ids.length })
    }),
    {
      methods: ['find', 'get', 'create', 'patch', 'remove', 'finish'],
      schema: schema(Note, {
        hidden: ['secret'],
        server: { ownerId: ({ params }: any) => params.user?.id, secret: () => 'SENTINEL' },
        methods: {
          finish: {
            data: z.object({ ids: z.array(z.int()).max(3) }).describe('Marks notes as done.'),
            result: z.object({ count: z.int() })
          }
        }
      }),
      access: access({ all: owner('ownerId'), finish: user })
    }
  )
  app.use('posts', memory(), {
    methods: ['find', 'create'],
    schema: schema(z.object({ id: z.int(), title: z.string() })),
    access: access({ find: anyone, create: user })
  })
}

/** The options of `mcp` in tests. */
export type TestOptions = Partial<McpOptions>

/** An application with MCP, set up, that ends with the test. */
export async function createApp(
  options: TestOptions = {},
  configure: (app: Application) => void = configureNotes
): Promise<Application> {
  const app = alula()

  app.configure(mcp({ resource: RESOURCE, ...options }))
  configure(app)
  await app.setup()
  onTestFinished(async () => void (await app.teardown()))

  return app
}

/** A token of a user for MCP. */
export async function getToken(app: Application, id: number): Promise<string> {
  const service = app.service('authentication') as any as AuthenticationService
  const { accessToken } = await service.issueToken(
    { user: await app.service('users').get(id) },
    { jwtOptions: { audience: RESOURCE, header: { typ: 'mcp+jwt' } } }
  )

  return accessToken
}

/** A token of a user for the API. */
export async function getApiToken(app: Application, id: number): Promise<string> {
  return (await loginAs(app, await app.service('users').get(id))).accessToken
}

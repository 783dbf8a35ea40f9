import { authenticate, hashPassword, passwordHash, protect } from '../../../src/authentication.ts'
import type { Id, Params } from '../../../src/index.ts'
import type { Application, HookContext, User } from './declarations.ts'

export type UserData = Pick<User, 'email'> & { password: string }
export type UserQuery = { email?: string; $limit?: number }

export interface UserParams extends Params<UserQuery> {}

export class UserService {
  id = 'id'

  async find(_params?: UserParams): Promise<User[]> {
    return []
  }

  async get(id: Id, _params?: UserParams): Promise<User> {
    return { id: Number(id), email: 'wren@example.org' }
  }

  async create(data: UserData, _params?: UserParams): Promise<User> {
    return { id: 1, email: data.email }
  }
}

/** As the schema of a generated app has it, for `resolve`. */
export const userDataResolver = {
  password: passwordHash({ strategy: 'local' })
}

export const userPath = 'users'

export const user = (app: Application) => {
  app.use(userPath, new UserService(), { methods: ['find', 'get', 'create'], events: [] })

  app.service(userPath).hooks({
    around: {
      all: [],
      find: [authenticate('jwt')],
      get: [authenticate({ strategies: ['jwt'] })]
    },
    before: {
      find: [authenticate('jwt', 'local')],
      create: [
        hashPassword('password'),
        async (context: HookContext<UserService>) => {
          await userDataResolver.password('secret', context.data, context)
        }
      ]
    },
    after: { all: [protect('password', 'login.secret')] }
  })
}

declare module './declarations.ts' {
  interface ServiceTypes {
    [userPath]: UserService
  }
}

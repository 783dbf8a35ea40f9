import { authenticate } from '../../../src/authentication.ts'
import type { Application, HookContext } from './declarations.ts'
import { getOptions, MessageService } from './messages.class.ts'
import { messageMethods, messagePath } from './messages.shared.ts'

const setUser = async (context: HookContext<MessageService>) => {
  for (const data of [context.data ?? []].flat()) Object.assign(data, { userId: context.params.account?.id })
}

export const message = (app: Application) => {
  app.use(messagePath, new MessageService(getOptions(app)), { methods: messageMethods, events: [] })

  app.service(messagePath).hooks({
    around: {
      all: [
        authenticate('jwt'),
        async (context, next) => {
          context.params.query = { $limit: app.get('paginate').max, ...context.params.query }
          await next()
        }
      ]
    },
    before: { all: [], find: [], get: [], create: [setUser], patch: [], remove: [] },
    after: { all: [] },
    error: { all: [] }
  })
}

declare module './declarations.ts' {
  interface ServiceTypes {
    [messagePath]: MessageService
  }
}

// An app as the generator of Feathers v5 writes it keeps its types when only its imports change.
import type { Server } from 'node:http'
import type { AuthenticationResult, AuthenticationService } from '../../src/authentication.ts'
import type { FeathersService } from '../../src/index.ts'
import { expectType } from '../support/expect-type.ts'
import { app } from './generated-app/app.ts'
import { createClient } from './generated-app/client.ts'
import type { Application, HookContext, ServiceTypes, User } from './generated-app/declarations.ts'
import type { Message, MessageParams, MessageService } from './generated-app/messages.class.ts'
import type { MessageClientService } from './generated-app/messages.shared.ts'

expectType<Application>().of(app)
expectType<MessageService>().of({} as ServiceTypes['messages'])
expectType<FeathersService<Application, MessageService>>().of(app.service('messages'))
expectType<AuthenticationService>().of({} as ServiceTypes['authentication'])
expectType<FeathersService<Application, AuthenticationService>>().of(app.service('authentication'))
expectType<number>().of(app.get('port'))
expectType<string[]>().of(app.get('authentication').authStrategies)

export async function start(): Promise<Server> {
  const server = await app.listen(app.get('port'))
  const messages = app.service('messages')
  const account: User = { id: 1, email: 'wren@example.org' }

  expectType<Message[]>().of(await messages.find({ account, query: { $limit: 1 } }))
  expectType<Message>().of(await messages.create({ text: 'Hello' }, { account }))
  expectType<Message[]>().of(await messages.create([{ text: 'Hello' }]))
  messages.on('created', (message: Message) => console.log(message.text))

  // @ts-expect-error -- messages are made from text
  await messages.create({ title: 'Hello' })
  // @ts-expect-error -- no service belongs under this path
  app.service('people')
  // @ts-expect-error -- there is no such setting
  app.set('prot', 3030)

  return server
}

export function readContext(context: HookContext<MessageService>, any: HookContext): void {
  expectType<Application>().of(context.app)
  expectType<keyof ServiceTypes>().of(context.path)
  expectType<MessageParams>().of(context.params)
  expectType<User | undefined>().of(context.params.account)
  expectType<keyof ServiceTypes>().of(any.path)
  expectType<any>().of(any.params)
}

export async function callClient(connection: Parameters<typeof createClient>[0]) {
  const messages = createClient(connection).service('messages')

  expectType<Message>().of(await messages.get(1, { query: { text: 'Hello' } }))
  expectType<Message>().of(await messages.patch(1, { text: 'Hello' }))
  expectType<Pick<MessageClientService, 'find'>['find']>().of(connection.service('messages').find)

  // @ts-expect-error -- `text` is a string
  await messages.patch(1, { text: 5 })
  // @ts-expect-error -- clients cannot update
  await messages.update(1, { text: 'Hello' })
}

export async function logIn() {
  const service = app.service('authentication')
  const result = await service.create({ strategy: 'local', email: 'wren@example.org', password: 'secret' })

  expectType<AuthenticationResult>().of(result)
  expectType<any>().of(result.accessToken)
  expectType<AuthenticationResult>().of(await service.remove(null, { authentication: { strategy: 'jwt' } }))
  service.hooks({ after: { create: [async (context) => void context.result?.user] } })
  app.on('login', (result: AuthenticationResult, { connection }: any, context: HookContext) => {
    if (connection) console.log(result.user, context.path)
  })
  app.on('logout', (_result: AuthenticationResult, _params: any) => {})
  app.defaultAuthentication?.().getStrategies('local')

  // @ts-expect-error -- credentials are an object
  await service.create('secret')
  // @ts-expect-error -- there is no such method
  await service.patch(1, {})
}

// `HookContext<App, Service>`: what a hook knows of a call follows from the service.
import {
  type Application,
  alula,
  createContext,
  type HookContext,
  type HookType,
  type Http,
  type Id,
  type NextFunction,
  type Params
} from '../../src/index.ts'
import { expectType } from '../support/expect-type.ts'
import type {
  ArchiveData,
  ArchiveResult,
  Message,
  MessageData,
  MessageParams,
  MessagePatch,
  MessageService,
  Services,
  Settings,
  UserService
} from './services.ts'

type App = Application<Services, Settings>

export async function readContext(context: HookContext<App, MessageService>): Promise<void> {
  expectType<App>().of(context.app)
  expectType<MessageService>().of(context.service)
  expectType<keyof Services>().of(context.path)
  expectType<string>().of(context.method)
  expectType<HookType>().of(context.type)
  expectType<'around' | 'before' | 'after' | 'error'>().of(context.type)
  expectType<Id | undefined>().of(context.id)
  expectType<MessageData | MessagePatch | ArchiveData | undefined>().of(context.data)
  expectType<MessageParams>().of(context.params)
  expectType<Message | Message[] | ArchiveResult | undefined>().of(context.result)
  expectType<unknown>().of(context.dispatch)
  expectType<any>().of(context.error)
  expectType<string | null>().of(context.event)
  expectType<Http | undefined>().of(context.http)
  expectType<number | undefined>().of(context.statusCode)
  expectType<any[]>().of(context.arguments)
  expectType<HookContext<App, MessageService> | undefined>().of(context.original)
  expectType<any>().of(context.toJSON())
  expectType<any>().of(context.whatAnotherHookLeft)

  expectType<number>().of(context.app.get('port'))
  expectType<Message>().of(await context.app.service('messages').get(1, context.params))
  expectType<Message>().of(await context.service.create({ text: 'Hello' }))
}

export function changeContext(context: HookContext<App, MessageService>): void {
  context.id = 'wren'
  context.data = { text: 'Hello' }
  context.params = { ...context.params, tenant: 'a' }
  context.result = { id: 1, text: 'Hello', userId: 1 }
  context.dispatch = context.result
  context.event = null
  context.http = { status: 201, headers: { etag: '1', 'set-cookie': ['a', 'b'] }, location: '/messages/1' }
  context.statusCode = 201
  context.whatAnotherHookLeft = true

  // @ts-expect-error -- the context is not moved to another application
  context.app = alula<Services, Settings>()
  // @ts-expect-error -- the kind of hook is told, not chosen
  context.type = 'after'
  // @ts-expect-error -- the method is told, not chosen
  context.method = 'find'
  // @ts-expect-error -- `text` is a string
  context.data = { text: 5 }
  // @ts-expect-error -- not a message
  context.result = { id: 1 }
  // @ts-expect-error -- there is no such field to query
  context.params.query = { title: 'Hello' }
  // @ts-expect-error -- a status is a number
  context.http.status = '201'
  // @ts-expect-error -- there is no such path
  if (context.path === 'massages') context.event = null
}

export async function readEveryCall(context: HookContext<App>): Promise<void> {
  expectType<'messages' | 'api/users'>().of(context.path)
  expectType<unknown>().of(context.data)
  expectType<Params>().of(context.params)
  expectType<unknown>().of(context.result)
  expectType<unknown>().of(await context.service.get?.(1))
  expectType<number>().of(context.app.get('port'))

  // @ts-expect-error -- no service belongs under this path
  context.app.service('massages')
}

/** As applications abbreviate it: a service of `unknown` is one that was left out. */
type Context<S = unknown> = HookContext<App, S>

export async function setTenant(context: Context): Promise<Context> {
  expectType<unknown>().of(context.data)
  expectType<unknown>().of(context.result)
  expectType<Params>().of(context.params)
  expectType<MessageData | MessagePatch | ArchiveData | undefined>().of(({} as Context<MessageService>).data)
  expectType<any>().of(({} as Context<any>).data)
  expectType<any>().of(({} as HookContext<Application, unknown>).data)
  expectType<any>().of(({} as HookContext<Application, unknown, 'find', 'after'>).result)

  context.data = { tenant: 'a' }
  context.result = []

  return context
}

export async function returnsContext(context: HookContext<App>): Promise<HookContext<App>> {
  return context
}

export function registerSharedHooks(app: App): void {
  const around = async (_context: Context, next: NextFunction) => await next()

  app.hooks({ around: [around], before: { create: [setTenant, returnsContext] } })
  app.service('messages').hooks({ around: [around], before: { create: [setTenant, returnsContext] } })
}

/** A class whose methods take neither params nor data. */
export function readSmallService(context: HookContext<App, UserService>): void {
  expectType<keyof Services>().of(context.path)
  expectType<Params>().of(context.params)
  expectType<undefined>().of(context.data)
}

export async function readAnything(context: HookContext): Promise<void> {
  expectType<Application>().of(context.app)
  expectType<string>().of(context.path)
  expectType<any>().of(context.service)
  expectType<any>().of(context.data)
  expectType<any>().of(context.params)
  expectType<any>().of(context.result)
  expectType<unknown>().of(context.dispatch)
  expectType<any>().of(await context.app.service('users').get(context.params.user.id))

  context.data.text = context.params.query.text
  context.result = [context.result]
}

export function readAnyApplication(context: HookContext<any, MessageService>): void {
  expectType<any>().of(context.app)
  expectType<string>().of(context.path)
  expectType<MessageParams>().of(context.params)
}

// What is known of a call can be forgotten.
export const forget = (context: HookContext<App, MessageService>): HookContext => context
export const forgetService = (context: HookContext<App, MessageService>): HookContext<App> => context
export const created: HookContext<App, MessageService> = createContext(
  alula<Services, Settings>().service('messages'),
  'create',
  { http: {} }
)

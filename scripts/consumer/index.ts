// A program as a user writes it, compiled against the packed package. Declarations are emitted for it too, so
// that a type of ours which cannot be named from outside is an error here.
import assert from 'node:assert/strict'
import type { AroundHookFunction, HookContext, Id, Params, ServiceInterface } from 'alula'
import { alula, feathers } from 'alula'
import { errors, FeathersError, isFeathersError, NotFound } from 'alula/errors'
import express, { errorHandler, json, notFound, rest, toMiddleware, urlencoded } from 'alula/express'
import { createHandler } from 'alula/fetch'
import { compose } from 'alula/hooks'
import { parseQueryString } from 'alula/transport'

export interface Message {
  id: number
  text: string
}

export type MessageData = Pick<Message, 'text'>

export class MessageService implements ServiceInterface<Message, MessageData> {
  messages: Message[] = []

  async find(_params?: Params): Promise<Message[]> {
    return this.messages
  }

  async get(id: Id, _params?: Params): Promise<Message> {
    const message = this.messages.find((candidate) => candidate.id === Number(id))

    if (!message) throw new NotFound(`No message with id '${id}'`, { id })

    return message
  }

  async create(data: MessageData, _params?: Params): Promise<Message> {
    const message = { id: this.messages.length + 1, text: data.text }

    this.messages.push(message)

    return message
  }

  async shout(data: MessageData, _params?: Params): Promise<MessageData> {
    return { text: data.text.toUpperCase() }
  }
}

export interface Services {
  messages: MessageService
}

export interface Settings {
  port: number
}

declare module 'alula' {
  interface Params {
    user?: string
  }
}

export const app = alula<Services, Settings>()
export const context = { log: [] as string[] }

const trace: AroundHookFunction = async (hookContext, next) => {
  context.log.push(`${hookContext.path}.${hookContext.method}`)
  await next()
}

const trim = async (hookContext: HookContext<typeof app, MessageService>) => {
  if (hookContext.data) hookContext.data = { text: hookContext.data.text.trim() }
}

app.use('messages', new MessageService(), {
  methods: ['find', 'get', 'create', 'shout'],
  events: ['shouted']
})
app.set('port', 3030)
app.hooks({ around: { all: [trace] } })

export const service = app.service('messages')

service.hooks({
  before: { create: [trim] },
  after: { all: [(hookContext) => void hookContext.result] },
  error: { all: [(hookContext) => void context.log.push(hookContext.error.message)] }
})
service.on('created', (message: Message) => context.log.push(message.text))

export const created: Message = await service.create({ text: ' Hello ' }, { user: 'Ada', query: {} })

const port: number = app.get('port')
const caught: unknown = await service.get(17).catch((error: unknown) => error)

assert.equal(port, 3030)
assert.equal(created.text, 'Hello')
assert.ok(isFeathersError(caught) && caught instanceof FeathersError && caught instanceof NotFound)
assert.equal(caught.code, 404)
assert.equal(errors[404], NotFound)
assert.deepEqual(context.log, ['messages.create', 'Hello', 'messages.get', "No message with id '17'"])

// What must not compile: types that have turned into 'any' would let it through.
export function misuse() {
  // @ts-expect-error there is no such service
  app.service('message')
  // @ts-expect-error there is no such method
  service.remove(1)
  // @ts-expect-error 'text' is a string
  service.create({ text: 1 })
  // @ts-expect-error the service has no such method
  app.use('messages', new MessageService(), { methods: ['destroy'] })
  // @ts-expect-error 'port' is a number
  app.set('port', '3030')
}

export const expressApp = express(alula<Services>())

expressApp.use(json(), urlencoded({ extended: true }))
expressApp.use((request, _response, next) => {
  request.feathers = { ...request.feathers, user: 'Ada' }
  next()
})
expressApp.use('/version', (_request, response) => void response.json(expressApp.version))
expressApp.configure(rest())
expressApp.use(
  'messages',
  (request, _response, next) => {
    context.log.push(String(request.feathers?.user))
    next()
  },
  new MessageService(),
  { methods: ['find', 'create'] }
)
expressApp.use(notFound())
expressApp.use(errorHandler({ logger: false }))

export const server = await expressApp.listen(0)

await expressApp.service('messages').create({ text: 'Hello' })

const address = server.address()

assert.ok(address !== null && typeof address === 'object')

const answer = await fetch(`http://localhost:${address.port}/messages`)

assert.deepEqual(await answer.json(), [{ id: 1, text: 'Hello' }])
assert.equal(context.log.at(-1), 'Ada')
await expressApp.teardown()

export const middleware = toMiddleware(app, { logger: false })
export const handler = createHandler(app, { prefix: '/api', logger: false })

const response: Response = await handler(new Request('http://localhost/api/messages/1'))

assert.deepEqual(await response.json(), created)

export const composed = compose<{ arguments: unknown[]; type: string; count: number }>([
  async (hookContext, next) => {
    hookContext.count++
    await next()
  }
])

const counted = { arguments: [], type: 'around', count: 0 }

await composed(counted)
assert.equal(counted.count, 1)
assert.equal(parseQueryString('a[b]=1').a.b, '1')
assert.equal(feathers, alula)

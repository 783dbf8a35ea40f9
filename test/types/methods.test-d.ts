// What hooks of one method know: its data, its result, and in after hooks that there is one.
import type { ServiceInterface } from '../../src/index.ts'
import { type Application, alula, type HookContext, type HookFunction, type Params } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { expectType } from '../support/expect-type.ts'
import type {
  ArchiveData,
  ArchiveResult,
  Message,
  MessageData,
  MessagePatch,
  MessageService,
  Services
} from './services.ts'

type App = Application<Services>

const app = alula<Services>()
const messages = app.service('messages')

messages.hooks({
  around: {
    create: [
      async (context, next) => {
        expectType<MessageData>().of(context.data)
        expectType<Message | undefined>().of(context.result)
        await next()
      }
    ]
  },
  before: {
    find: (context) => expectType<undefined>().of(context.data),
    create: [(context) => expectType<MessageData>().of(context.data)],
    update: [({ data }) => expectType<MessageData>().of(data)],
    patch: [async ({ data, method }) => void [expectType<MessagePatch>().of(data), method satisfies 'patch']],
    archive: [(context) => expectType<ArchiveData>().of(context.data)]
  },
  after: {
    find: (context) => expectType<Message[]>().of(context.result),
    get: (context) => expectType<Message>().of(context.result),
    create: [({ result }) => expectType<Message>().of(result)],
    remove: [async ({ result }) => expectType<Message>().of(result)],
    archive: [({ result }) => expectType<ArchiveResult>().of(result)],
    all: [({ result }) => expectType<Message | Message[] | ArchiveResult>().of(result)]
  },
  error: { get: ({ result }) => expectType<Message | undefined>().of(result) }
})

messages.hooks({
  before: {
    // @ts-expect-error -- a message has no title
    create: [(context) => Object.assign(context, { data: context.data.title })],
    // @ts-expect-error -- there is no data to read
    remove: [({ data }) => data.text]
  }
})

// A hook that is written by itself names the methods that it is for.
const requireText = async ({ data }: HookContext<App, MessageService, 'create' | 'update'>) => {
  if (data.text.length === 0) throw new Error("A message needs a 'text'")
}
const countWords: HookFunction<App, MessageService, 'get', 'after'> = (context) => {
  context.http = { headers: { words: String(context.result.text.split(' ').length) } }
}

messages.hooks({ before: { create: [requireText], update: [requireText] }, after: { get: [countWords] } })

// @ts-expect-error -- a change may leave the text out
messages.hooks({ before: { patch: [requireText] } })
// @ts-expect-error -- it is not for every method
messages.hooks({ before: { all: [requireText] } })
// @ts-expect-error -- before the method there is no result
messages.hooks({ before: { get: [countWords] } })

// A hook for every service, which is not `any` throughout.
const logCall = ({ app, path, params, data }: HookContext<App>) => {
  expectType<App>().of(app)
  expectType<keyof Services>().of(path)
  expectType<Params>().of(params)
  expectType<unknown>().of(data)
}

app.hooks({ before: { all: [logCall], archive: [logCall] } })
messages.hooks({ before: { all: [logCall], create: [logCall] }, after: [logCall] })
app.service('api/users').hooks({ before: { get: [logCall] } })

// @ts-expect-error -- what the data are, is not known
export const readText = ({ data }: HookContext<App>) => data.text

// An adapter takes and returns one record or several; hooks see one, and `Array.isArray` tells.
interface Note {
  id: number
  text: string
}

const noted = alula<{ notes: ReturnType<typeof createNotes> }>()

function createNotes() {
  return memory<Note, { text: string }>({ startId: 1 })
}

noted.use('notes', createNotes())
noted.service('notes').hooks({
  before: {
    create: [({ data }) => expectType<{ text: string }>().of(data)],
    patch: [({ data }) => expectType<{ text?: string }>().of(data)]
  },
  after: {
    create: [({ result }) => expectType<Note>().of(result)],
    remove: [({ result }) => expectType<Note>().of(result)]
  }
})

// Events are about one record.
messages.on('created', (message, context) => {
  expectType<Message>().of(message)
  expectType<App>().of(context.app)
})
messages.once('patched', (message: Message) => message.text).on('archived', (...args) => void args)
// @ts-expect-error -- a message has no title
messages.on('created', (message) => message.title)
// @ts-expect-error -- it is a message
messages.on('removed', (user: { email: string }) => user.email)

// A class that is no service is refused.
class Wrong {
  get(id: number): Message {
    return { id, text: '', userId: 1 }
  }
}

// @ts-expect-error -- a method returns a promise
alula<{ wrong: Wrong }>().use('wrong', new Wrong())

export const service: ServiceInterface<Message> = messages

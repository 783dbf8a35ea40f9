// Channels and publishers know what is published.
import {
  type Application,
  alula,
  Channel,
  CombinedChannel,
  type HookContext,
  type Publisher,
  type RealTimeConnection
} from '../../src/index.ts'
import type { MemoryService } from '../../src/memory.ts'
import { expectType } from '../support/expect-type.ts'
import type { ArchiveResult, Message, MessageService, Services } from './services.ts'

const app = alula<Services>()
const channel = app.channel('one', ['two'])

expectType<Channel<RealTimeConnection>>().of(channel)
expectType<RealTimeConnection[]>().of(channel.connections)
expectType<string[]>().of(app.channels)
expectType<Channel<RealTimeConnection>>().of(
  channel.filter(({ user }) => user !== undefined).send({ text: 'hello' })
)

app.service('messages').publish('created', (message, context) => {
  expectType<Message>().of(message)
  expectType<Application<Services>>().of(context.app)

  return app.channel('one')
})

app
  .service('messages')
  .publish(async () => [app.channel('one'), [null, undefined]])
  .registerPublisher('patched', () => {})

// An event is about one record, whatever the call gives.
alula<{ drafts: MemoryService<Message> }>()
  .service('drafts')
  .publish('created', (draft) => {
    expectType<Message>().of(draft)

    return app.channel(String(draft.userId))
  })

app.publish('removed', (_data, { path }) => app.channel(path)).publish((_data, _context: HookContext) => null)

// @ts-expect-error A connection is no channel.
app.publish(() => ({ user: {} }))
// @ts-expect-error A publisher is a function.
app.publish('created', 'all')

// A channel of one's own knows what its connections are.
interface Visit {
  userId: number
}

const visits = new Channel([{ userId: 1 } as Visit])
const both = new CombinedChannel([visits, new Channel<Visit>()])

expectType<Channel<Visit>>().of(visits)
expectType<CombinedChannel<Visit>>().of(both)
expectType<Visit[]>().of(both.connections)
expectType<Channel<Visit>>().of(both.filter(({ userId }) => userId === 1))
expectType<Channel<Visit>>().of(visits.join(undefined, { userId: 2 }).leave(({ userId }) => userId === 2))
expectType<CombinedChannel<Visit>>().of(both.refresh().join({ userId: 3 }))
expectType<any>().of(both.dataFor({ userId: 1 }))

// @ts-expect-error -- somebody else's connections have no `userId`
visits.join({ name: 'Wren' })
// @ts-expect-error -- no member has a name
visits.filter(({ name }) => name)
// @ts-expect-error -- the data is that of a connection
both.dataFor(1)
// @ts-expect-error -- several channels are given as a list
new CombinedChannel(visits)
// @ts-expect-error -- a connection is an object
export type OfNumbers = Channel<number>

// A publisher that stands for itself is written for some data, an application and a service.
const publishMessage: Publisher<Message, Application<Services>, MessageService> = (message, context) => {
  expectType<Message>().of(message)
  expectType<keyof Services>().of(context.path)
  expectType<Message | Message[] | ArchiveResult | undefined>().of(context.result)

  return message.userId === 1 ? undefined : [context.app.channel('one')]
}
const publishAnything: Publisher = async (data) => {
  expectType<any>().of(data)
}

app.service('messages').publish('created', publishMessage).publish(publishAnything)

// @ts-expect-error -- a publisher returns channels
export const wrongPublisher: Publisher<Message> = (message) => message.text
// @ts-expect-error -- a publisher of messages knows nothing of users
app.service('api/users').publish(publishMessage)

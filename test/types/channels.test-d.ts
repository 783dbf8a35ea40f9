// Channels and publishers know what is published.
import {
  type Application,
  alula,
  type Channel,
  type HookContext,
  type RealTimeConnection
} from '../../src/index.ts'
import { expectType } from '../support/expect-type.ts'
import type { Message, Services } from './services.ts'

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

app.publish('removed', (_data, { path }) => app.channel(path)).publish((_data, _context: HookContext) => null)

// @ts-expect-error A connection is no channel.
app.publish(() => ({ user: {} }))
// @ts-expect-error A publisher is a function.
app.publish('created', 'all')

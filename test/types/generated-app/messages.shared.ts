import type { Params } from '../../../src/index.ts'
import type { ClientApplication } from './client.ts'
import type { Message, MessageData, MessagePatch, MessageQuery, MessageService } from './messages.class.ts'

export type { Message, MessageData, MessagePatch, MessageQuery }

export type MessageClientService = Pick<MessageService<Params<MessageQuery>>, (typeof messageMethods)[number]>

export const messagePath = 'messages'

export const messageMethods = ['find', 'get', 'create', 'patch', 'remove'] as const

export const messageClient = (client: ClientApplication) => {
  const connection = client.get('connection')

  client.use(messagePath, connection.service(messagePath), { methods: messageMethods })
}

declare module './client.ts' {
  interface ServiceTypes {
    [messagePath]: MessageClientService
  }
}

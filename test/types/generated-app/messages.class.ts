import type { Id, NullableId, Params, ServiceInterface } from '../../../src/index.ts'
import type { Application, User } from './declarations.ts'

export type Message = { id: number; text: string; userId: number; user?: User }
export type MessageData = Pick<Message, 'text'>
export type MessagePatch = Partial<MessageData>
export type MessageQuery = { text?: string; $limit?: number }

export interface MessageServiceOptions {
  app: Application
}

export interface MessageParams extends Params<MessageQuery> {}

export class MessageService<ServiceParams extends MessageParams = MessageParams>
  implements ServiceInterface<Message, MessageData, ServiceParams, MessagePatch>
{
  options: MessageServiceOptions

  constructor(options: MessageServiceOptions) {
    this.options = options
  }

  async find(_params?: ServiceParams): Promise<Message[]> {
    return []
  }

  async get(id: Id, params?: ServiceParams): Promise<Message> {
    return { id: Number(id), text: 'Hello', userId: params?.account?.id ?? 0 }
  }

  async create(data: MessageData, params?: ServiceParams): Promise<Message>
  async create(data: MessageData[], params?: ServiceParams): Promise<Message[]>
  async create(data: MessageData | MessageData[], params?: ServiceParams): Promise<Message | Message[]>
  async create(data: MessageData | MessageData[], params?: ServiceParams): Promise<Message | Message[]> {
    if (Array.isArray(data)) return Promise.all(data.map((current) => this.create(current, params)))

    return { ...data, id: 1, userId: params?.account?.id ?? 0 }
  }

  async patch(id: NullableId, data: MessagePatch, params?: ServiceParams): Promise<Message> {
    return { ...(await this.get(Number(id), params)), ...data }
  }

  async remove(id: NullableId, params?: ServiceParams): Promise<Message> {
    return this.get(Number(id), params)
  }
}

export const getOptions = (app: Application) => {
  return { app }
}

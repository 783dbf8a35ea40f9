// The services that the type tests share: one with everything a class can have, one small one.
import type { Id, NullableId, Params, ServiceInterface } from '../../src/index.ts'

export interface Message {
  id: number
  text: string
  userId: number
}

export interface MessageData {
  text: string
}

export interface MessagePatch {
  text?: string
}

export interface MessageQuery {
  text?: string
  $limit?: number
}

export interface MessageParams extends Params<MessageQuery> {
  tenant?: string
}

export interface ArchiveData {
  before: Date
}

export interface ArchiveResult {
  count: number
}

export class MessageService implements ServiceInterface<Message, MessageData, MessageParams, MessagePatch> {
  events = ['archived']
  private readonly messages = new Map<Id, Message>()

  async find(_params?: MessageParams): Promise<Message[]> {
    return [...this.messages.values()]
  }

  async get(id: Id, _params?: MessageParams): Promise<Message> {
    return this.messages.get(id) as Message
  }

  async create(data: MessageData, _params?: MessageParams): Promise<Message> {
    return { ...data, id: 1, userId: 1 }
  }

  async update(id: NullableId, data: MessageData, _params?: MessageParams): Promise<Message> {
    return { ...data, id: Number(id), userId: 1 }
  }

  async patch(id: NullableId, data: MessagePatch, params?: MessageParams): Promise<Message> {
    return { ...(await this.get(Number(id), params)), ...data }
  }

  async remove(id: NullableId, params?: MessageParams): Promise<Message> {
    return this.get(Number(id), params)
  }

  async archive(_data: ArchiveData, _params?: MessageParams): Promise<ArchiveResult> {
    return { count: this.messages.size }
  }
}

export interface User {
  id: string
  email: string
}

export class UserService {
  async get(id: string): Promise<User> {
    return { id, email: 'wren@example.org' }
  }
}

export interface Services {
  messages: MessageService
  'api/users': UserService
}

export interface Settings {
  port: number
  paginate: { default: number; max: number }
}

// What an editor shows over a name: it is where most people read types.
import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { createLanguageService } from '../support/language-service.ts'

const FILE = join(import.meta.dirname, 'hovered.ts')

const APPLICATION = `
import type { AdapterParams } from '../../src/adapter.ts'
import { alula as createClient, type ClientServices } from '../../src/client.ts'
import { alula } from '../../src/index.ts'
import { MemoryService } from '../../src/memory.ts'
import type { MessageService } from './services.ts'

interface Note { id: number; text: string }
interface NoteData { text: string }
interface NotePatch { text?: string }
interface NoteParams extends AdapterParams<{ text?: string }> {}

class NoteService extends MemoryService<Note, NoteData, NoteParams, NotePatch> {}

interface Services {
  messages: MessageService
  notes: NoteService
}

const app = alula<Services>()
const client = createClient<ClientServices<Services, { messages: 'archive' }>>()
const messages = app.service('messages')
`

it('a method of a service shows the signature of its class', () => {
  expect(
    hover('messages.find', 'messages.get', 'messages.create', 'messages.patch', 'messages.archive')
  ).toEqual([
    '(method) MessageService.find(_params?: MessageParams): Promise<Message[]> (+1 overload)',
    '(method) MessageService.get(id: Id, _params?: MessageParams): Promise<Message> (+1 overload)',
    '(method) MessageService.create(data: MessageData, _params?: MessageParams): Promise<Message> (+1 overload)',
    '(method) MessageService.patch(id: NullableId, data: MessagePatch, params?: MessageParams): Promise<Message> (+1 overload)',
    '(method) MessageService.archive(_data: ArchiveData, _params?: MessageParams): Promise<ArchiveResult>'
  ])
})

it('a method of an adapter shows the types that its service was given', () => {
  const texts = hover(
    "app.service('notes').find({})",
    "app.service('notes').get(1)",
    "app.service('notes').create({ text: 'Hello' })",
    "app.service('notes').patch(1, { text: 'Hello' })",
    "app.service('notes').patch(null, { text: 'Hello' })"
  )

  // What stands before it is the interface that has the method, as it was declared.
  expect(texts.map((text) => text.replace(/^.*\.(?=\w+\()/s, ''))).toEqual([
    'find(params?: (NoteParams & { paginate?: undefined; }) | undefined): Promise<Paginated<Note>> (+4 overloads)',
    'get(id: Id, params?: NoteParams | undefined): Promise<Note> (+1 overload)',
    'create(data: NoteData, params?: NoteParams | undefined): Promise<Note> (+3 overloads)',
    'patch(id: Id, data: NotePatch, params?: NoteParams | undefined): Promise<Note> (+3 overloads)',
    'patch(id: null, data: NotePatch, params?: NoteParams | undefined): Promise<Note[]> (+3 overloads)'
  ])
})

it('a method of a client shows the same signature, without pagination', () => {
  expect(
    hover(
      "client.service('messages').find",
      "client.service('messages').get",
      "client.service('messages').create",
      "client.service('messages').patch",
      "client.service('messages').archive",
      "client.service('notes').find({})",
      "client.service('notes').create({ text: 'Hello' })"
    )
  ).toEqual([
    '(method) find(_params?: MessageParams): Promise<Message[]> (+1 overload)',
    '(method) get(id: Id, _params?: MessageParams): Promise<Message> (+1 overload)',
    '(method) create(data: MessageData, _params?: MessageParams): Promise<Message> (+1 overload)',
    '(method) patch(id: NullableId, data: MessagePatch, params?: MessageParams): Promise<Message> (+1 overload)',
    '(method) archive(_data: ArchiveData, _params?: MessageParams): Promise<ArchiveResult>',
    '(method) find(params?: (NoteParams & { paginate?: never; }) | undefined): Promise<Paginated<Note>> (+1 overload)',
    '(method) create(data: NoteData, params?: NoteParams | undefined): Promise<Note> (+3 overloads)'
  ])
})

it('what a hook reads from its context is shown by the names of its service', () => {
  const toContext = (method: string, type: string) =>
    `HookContext<Application<Services, any>, MessageService, ${method}, "${type}">`

  expect(
    hover(
      'messages.hooks({ before: { create: (context) => void context } })',
      'messages.hooks({ before: { create: (context) => void context.data } })',
      'messages.hooks({ after: { create: [async (context) => void context.result] } })',
      'messages.hooks({ around: { all: [async (context) => void context.params] } })',
      'messages.hooks({ error: (context) => void context.path })'
    )
  ).toEqual([
    `(parameter) context: ${toContext('"create"', 'before')}`,
    `(property) ${toContext('"create"', 'before')}.data: MessageData`,
    `(property) ${toContext('"create"', 'after')}.result: Message`,
    `(property) ${toContext('string', 'around')}.params: MessageParams`,
    `(property) ${toContext('string', 'error')}.path: "messages" | "notes"`
  ])
})

it('what a hook of an adapter reads from its context is one record, several or a page', () => {
  const context = 'HookContext<Application<Services, any>, NoteService'

  expect(
    hover(
      "app.service('notes').hooks({ before: { create: (context) => void context.data } })",
      "app.service('notes').hooks({ after: { all: [async (context) => void context.result] } })"
    )
  ).toEqual([
    `(property) ${context}, "create", "before">.data: NoteData`,
    `(property) ${context}, string, "after">.result: Note | Paginated<Note> | Note[]`
  ])
})

it('an application and a service are shown by the types that they were made for', () => {
  expect(hover('void app', 'void messages', 'void client')).toEqual([
    'const app: Application<Services, any>',
    'const messages: FeathersService<Application<Services, any>, MessageService>',
    'const client: Application<ClientServices<Services, { messages: "archive"; }>, any>'
  ])
})

/** The text over the last name of each line, on one line. The arguments of a call are not looked at. */
function hover(...lines: string[]): string[] {
  const source = `${APPLICATION}${lines.join('\n')}\n`
  const service = createLanguageService(FILE, source)
  let end = APPLICATION.length

  return lines.map((line) => {
    const start = end
    const [, before = ''] = /^(.*?)\w+(?:\([^)]*\))?[ })\]]*$/s.exec(line) ?? []

    end += line.length + 1

    const info = service.getQuickInfoAtPosition(FILE, start + before.length)

    return ts.displayPartsToString(info?.displayParts).replace(/\s+/g, ' ')
  })
}

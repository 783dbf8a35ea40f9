// The types of adapters stand in the order of Feathers v5: records, data, params, data for `patch`.
import type { AdapterParams } from '../../src/adapter.ts'
import { type KyselyParams, KyselyService } from '../../src/kysely.ts'
import { MemoryService } from '../../src/memory.ts'
import { expectType } from '../support/expect-type.ts'

interface Message {
  id: number
  text: string
}

interface NewMessage {
  text: string
}

interface Change {
  text?: string
  isRead?: boolean
}

export class InMemory extends MemoryService<Message, NewMessage, AdapterParams, Change> {}

export class InTable extends KyselyService<Message, NewMessage, KyselyParams, Change> {}

export async function call(memory: InMemory, table: InTable) {
  expectType<Message>().of(await memory.patch(1, { isRead: true }))
  expectType<Message>().of(await table.patch(1, { isRead: true }))
  // @ts-expect-error -- a new message has a text
  await memory.create({ isRead: true })
  // @ts-expect-error -- so has one in a table
  await table.create({ isRead: true })
}

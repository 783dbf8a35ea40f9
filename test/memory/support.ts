import { expect } from 'vitest'
import type { MemoryService } from '../../src/memory.ts'

/** What `find` gives without pagination. */
export const rows = (service: MemoryService, query: object = {}): Promise<any[]> =>
  service.find({ query, paginate: false })

export const ids = (records: any) => records.map(({ id }: any) => id)

export const refusal = (call: Promise<unknown>) =>
  call.then(
    () => expect.fail('The call was not refused'),
    ({ name, code, message }) => ({ name, code, message })
  )

import { hasCode } from './check.ts'

/** What a call finds; `undefined` where there is no such record. */
export async function findOrNothing<Result>(find: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await find()
  } catch (error) {
    if (hasCode(error, 404)) return undefined
    throw error
  }
}

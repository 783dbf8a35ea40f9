import { expect } from 'vitest'
import { type Condition, parseQuery, type QueryOptions } from '../../src/query.ts'

export const parseWhere = (query: unknown, options?: QueryOptions) => parseQuery(query, options).where

export function compare(field: string, operator: string, value: unknown): Condition {
  return { kind: 'compare', path: field.split('.'), operator, value } as Condition
}

/** The message with which a query is refused. */
export function refusal(query: unknown, options?: QueryOptions): string {
  try {
    parseQuery(query, options)
  } catch (error: any) {
    expect(error).toMatchObject({ name: 'BadRequest', code: 400 })

    return error.message
  }

  throw new Error('The query was not refused')
}

// What queries ask of null, and of lists.
import type { Query } from '../../src/schema.ts'

interface Note {
  id: number
  text: string
  email: string | null
  due?: string
  tags: string[]
  ranks: number[] | null
}

export const right: Query<Note>[] = [
  { email: { $null: true } },
  { ranks: { $null: false } },
  { tags: { $contains: 'hot' } },
  { tags: { $overlaps: ['a', 'b'] } },
  { ranks: { $contains: 1, $null: false } },
  { tags: { $not: { $contains: 'hot' } } }
]

// @ts-expect-error: the field is never null
export const never: Query<Note> = { text: { $null: true } }

// @ts-expect-error: a field that may be missing is no field that may be null
export const missing: Query<Note> = { due: { $null: true } }

// @ts-expect-error: an element is a string
export const number: Query<Note> = { tags: { $contains: 1 } }

// @ts-expect-error: the field is no list
export const text: Query<Note> = { text: { $contains: 'a' } }

// @ts-expect-error: a list of values
export const one: Query<Note> = { tags: { $overlaps: 'a' } }

import { setFlagsFromString } from 'node:v8'
import { expect, test } from 'vitest'
import { memory } from '../../src/memory.ts'

setFlagsFromString('--allow-natives-syntax')

/** Whether V8 knows two objects by one hidden class: code that reads many of them is then several times as fast. */
const haveSameClass: (one: object, other: object) => boolean = new Function(
  'one',
  'other',
  'return %HaveSameMap(one, other)'
) as never

test('records that are created one after the other have one hidden class', async () => {
  const notes = memory()
  const shown = []

  for (const text of ['First', 'Second', 'Third']) {
    await notes.create(JSON.parse(JSON.stringify({ text, done: false })))
    shown.push(await notes.get(shown.length))
  }

  expect(haveSameClass(shown[1], shown[2])).toBe(true)
})

test('so have records that a hook adds a field to', async () => {
  const notes = memory({ store: { 1: { id: 1, text: 'First' }, 2: { id: 2, text: 'Second' } } })
  const add = (note: object) => Object.assign(note, { author: 'Ada' })

  for (let count = 0; count < 100; count++) add(await notes.get(1))

  expect(haveSameClass(add(await notes.get(1)), add(await notes.get(2)))).toBe(true)
})

test('so have the params that the methods of an adapter get', async () => {
  const seen: object[] = []
  const notes = memory({ store: { 1: { id: 1 } } })
  const load = notes._get.bind(notes)

  notes._get = (id, params) => {
    seen.push(params as object)

    return load(id, params)
  }

  for (let count = 0; count < 100; count++) await notes.get(1, { query: {}, provider: 'rest' } as object)

  expect(haveSameClass(seen[98] as object, seen[99] as object)).toBe(true)
})

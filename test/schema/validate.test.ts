import { expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { validate } from '../../src/schema.ts'

it('validate() makes what checks a method once, for each service that has it', async () => {
  const made: string[] = []
  const checked: string[] = []
  const hook = validate()
  const app = alula()

  for (const path of ['notes', 'tasks']) {
    app.use(path, memory(), {
      schema: {
        input(method) {
          made.push(`${path}.${method}`)

          return ({ path: of, method: called }) => void checked.push(`${of}.${called}`)
        }
      }
    })
    app.service(path).hooks({ before: { all: [hook] } })
  }

  const before = made.length

  for (const path of ['notes', 'tasks', 'notes', 'tasks']) await app.service(path).find()

  await app.service('notes').create({})

  expect(made.slice(before).filter((name) => name === 'notes.find')).toHaveLength(2)
  expect(checked).toEqual(['notes.find', 'tasks.find', 'notes.find', 'tasks.find', 'notes.create'])
})

import { expect, it, onTestFinished } from 'vitest'
import { access, anyone, closed } from '../../src/access.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'

/** The warnings of the process when an application starts. */
async function start(open: { readonly [path: string]: readonly string[] }): Promise<unknown[]> {
  const warnings: unknown[] = []
  const original = process.emitWarning
  const app = alula()

  process.emitWarning = ((...warning: unknown[]) => void warnings.push(warning)) as typeof process.emitWarning
  onTestFinished(() => {
    process.emitWarning = original
  })
  app.configure(closed({ open }))
  app.use('notes', memory(), { access: access({ all: anyone }) })
  app.use('tags', memory(), { methods: ['find', 'get'] })
  await app.setup()

  return warnings
}

it('of closed() name what is refused, and nothing else', async () => {
  expect(await start({ tags: ['find'] })).toEqual([
    [
      expect.stringMatching(/^closed\(\) refuses tags\.get from outside\. Give the service/),
      { code: 'ALULA_CLOSED' }
    ]
  ])
  expect(await start({ tags: ['find', 'get'] })).toEqual([])
})

it('of closed() name services that are not there', async () => {
  expect(await start({ tags: ['find', 'get'], users: ['find'], logs: ['find'] })).toEqual([
    ["'open' of closed() names services that are not there: users, logs", { code: 'ALULA_CLOSED' }]
  ])
})

it('of closed() name methods that are not there', async () => {
  expect(await start({ tags: ['find', 'get', 'fnid', 'create'], notes: ['zz'] })).toEqual([
    ["'open' of closed() names methods that are not there: tags.fnid, notes.zz", { code: 'ALULA_CLOSED' }]
  ])
})

it('of closed() are none for lists that are not valid, which it refuses', () => {
  expect(() => closed({ open: { tags: ['find'], notes: 'find' } as any })).toThrow(
    "Invalid option 'open' of closed(): expected lists of methods by the path of a service"
  )
})

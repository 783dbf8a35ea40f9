import { expect, it, onTestFinished } from 'vitest'
import { access, anyone, owner, role, user } from '../../src/access.ts'
import { type Application, alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { createApp } from './support/application.ts'

/** The warnings of the process when an application starts. */
async function start(app: Application, rules: Parameters<typeof access>[0]): Promise<unknown[]> {
  const warnings: unknown[] = []
  const original = process.emitWarning

  process.emitWarning = ((...warning: unknown[]) => void warnings.push(warning)) as typeof process.emitWarning
  onTestFinished(() => {
    process.emitWarning = original
  })
  app.use('notes', memory(), { access: access(rules) })
  await app.setup()

  return warnings
}

it.each([
  ["owner('ownerId')", owner('ownerId')],
  ["role('admin')", role('admin')]
])('%s refuses the start of an application without an authentication service', async (who, rule) => {
  await expect(start(alula(), { find: anyone, patch: rule })).rejects.toThrow(
    `The access of service 'notes' has ${who}, and the application has no authentication service: register one, because no call would pass`
  )
  expect(await start(createApp(), { find: anyone, patch: rule })).toEqual([])
})

it('user warns of an application without an authentication service, which may authenticate calls itself', async () => {
  expect(await start(alula(), { find: anyone, create: user })).toEqual([
    [
      "The access of service 'notes' has user, and the application has no authentication service: calls pass only where the application sets params.authenticated itself",
      { code: 'ALULA_NO_AUTHENTICATION' }
    ]
  ])
  expect(await start(createApp(), { find: anyone, create: user })).toEqual([])
})

it('rules that need no login need no authentication service', async () => {
  expect(await start(alula(), { find: anyone, create: () => true })).toEqual([])
})

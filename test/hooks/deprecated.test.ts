import { expect, it, onTestFinished } from 'vitest'
import type { hookMethod as current } from '../../src/hooks/method.ts'
import { compilePipeline, HookRegistry, hookMethod } from '../../src/hooks.ts'

it('the pieces of the pipeline still work, and warn', async () => {
  const warnings: string[] = []
  const note = ({ message }: Error) => warnings.push(message)

  process.on('warning', note)
  onTestFinished(() => void process.off('warning', note))

  const exclaim = (context: any) => {
    context.name += '!'
  }
  const registry = new HookRegistry<any>().add({ before: [exclaim] })
  const options: Parameters<typeof current>[1] = {
    parameters: ['name'],
    properties: {},
    version: () => registry.version,
    compile: (terminal) => compilePipeline([registry.layer('run')], terminal)
  }
  const run = hookMethod((name: string) => name, options)

  expect(await run('a')).toBe('a!')
  await new Promise((resolve) => setImmediate(resolve))
  expect(warnings).toEqual([
    'hookMethod of alula/hooks is deprecated: use compose or collect',
    'compilePipeline of alula/hooks is deprecated: use compose or collect'
  ])
})

import { expect, it, onTestFinished, vi } from 'vitest'
import { Conflict } from '../../src/errors.ts'
import { type AroundHookFunction, alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'

/** The codes of the warnings of two calls that create a note. */
async function listWarnings(hooks: any): Promise<readonly string[]> {
  // Before: the first application of a process may warn of another copy, which another test has loaded.
  const app = alula().use('notes', memory())
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)

  onTestFinished(() => warn.mockRestore())
  app.service('notes').hooks(hooks)
  for (const _ of [1, 2]) await app.service('notes').create({ text: 'Hello' })

  return warn.mock.calls.map(([, options]: any) => options.code)
}

const around = (hook: AroundHookFunction) => ({ around: { create: [hook] } })

it.each<[string, any]>([
  ['does not wait for the method', around(async (_context, next) => void next())],
  ['does not call the method', around(async () => undefined)]
])('a hook that %s is reported once', async (_, hooks) => {
  expect(await listWarnings(hooks)).toEqual(['ALULA_NO_RESULT'])
})

it.each<[string, any]>([
  ['waits for the method', around(async (_context, next) => await next())],
  ['returns the promise of the method', around((_context, next) => next())],
  [
    'sets a result in place of the method',
    around(async (context) => void Object.assign(context, { result: undefined }))
  ],
  [
    'sets a result and lets the method end later',
    around(async (context, next) => {
      context.result = null
      void next()
    })
  ],
  [
    'takes an error back',
    {
      before: { create: [() => Promise.reject(new Conflict())] },
      error: { create: [async () => ({ error: undefined })] }
    }
  ]
])('a hook that %s is not reported', async (_, hooks) => {
  expect(await listWarnings(hooks)).toEqual([])
})

it('nothing is reported in production', async () => {
  vi.stubEnv('NODE_ENV', 'production')
  onTestFinished(() => void vi.unstubAllEnvs())

  expect(await listWarnings(around(async () => undefined))).toEqual([])
})

import { expect, it, vi } from 'vitest'
import { deprecate } from '../../src/utils/deprecate.ts'

it('an old name warns at its first call, and does what the new one does', () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  const join = deprecate((...parts: string[]) => parts.join('-'), "'join' is deprecated: use 'concat'")

  expect(warn).not.toHaveBeenCalled()
  expect([join('a', 'b'), join('c')]).toEqual(['a-b', 'c'])
  expect(warn.mock.calls).toEqual([
    ["'join' is deprecated: use 'concat'", { type: 'DeprecationWarning', code: 'ALULA_DEPRECATED' }]
  ])
  warn.mockRestore()
})

it.each([
  ['no process', undefined],
  ['a process of a bundler', {}]
])('an old name is silent where there is %s', (_title, process) => {
  const run = deprecate(() => 'done', 'is deprecated')

  vi.stubGlobal('process', process)

  try {
    expect(run()).toBe('done')
  } finally {
    vi.unstubAllGlobals()
  }
})

import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')

/** What a pattern names, for each choice in braces; up to the first part that may be several names. */
function toNames(pattern: string): readonly string[] {
  const [, before = '', choices, after = ''] = /^(.*)\{([^{}]*)\}(.*)$/.exec(pattern) ?? []

  if (choices !== undefined) return choices.split(',').flatMap((one) => toNames(`${before}${one}${after}`))

  return [pattern.replace(/(?:^|\/)[^/]*\*.*$/, '')]
}

it.each(['vitest.quick.config.ts', 'scripts/mutation.mjs'])('%s names tests that are there', (file) => {
  const text = readFileSync(join(ROOT, file), 'utf8')
  const patterns = [...text.matchAll(/'((?:test|packages)\/[^'$]*)'/g)].map(([, pattern = '']) =>
    // Those that are left out have to be there too.
    pattern.replaceAll(/!\(([^)]*)\)/g, (_, names: string) => `{${names.replaceAll('|', ',')}}`)
  )
  const names = patterns.flatMap(toNames)

  expect(names.length).toBeGreaterThan(patterns.length)
  expect(names.filter((name) => !existsSync(join(ROOT, name)))).toEqual([])
})

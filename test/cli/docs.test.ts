import { expect, it } from 'vitest'
import { searchDocs } from '../../src/cli/docs.ts'

it('the section whose heading has the word comes first, and others are named with their lines', () => {
  const { code, output } = searchDocs(['patterns'])
  const [place, , heading] = output.split('\n')

  expect(code).toBe(0)
  expect(place).toMatch(/^docs\/(sql|query)\.md:\d+$/)
  expect(heading).toMatch(/^#+ Patterns$/)
  expect(output).toMatch(/\nAlso:\n {2}docs\/.+\.md:\d+ {2}#/)
})

it('a section has all of the words', () => {
  expect(searchDocs(['sqlite', 'Node 20']).output).toContain('## SQLite on Node 20')
})

it('a word that no guide has is an error that says where they are', () => {
  expect(searchDocs(['xyzzy'])).toMatchObject({
    code: 1,
    output: expect.stringContaining("No guide has 'xyzzy'")
  })
})

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { runProgram } from '../support/program.ts'
import { readBlocks } from '../support/session.ts'

/** Compares what a line returns with its comment. `…` stands for anything. */
const CHECK = `
import { inspect } from 'node:util'

async function check(run, comment) {
  const result = await run().catch(({ code, message }) => code + ': ' + message)
  const shown = typeof result === 'string' ? result : inspect(result, { breakLength: Infinity, depth: 9 })
  const [start, end = ''] = comment.split('…')

  if (comment.includes('…') ? !shown.startsWith(start) || !shown.endsWith(end) : shown !== comment)
    throw new Error('The page shows ' + comment + ', and the result is ' + shown)
}
`

it('the page about the memory adapter shows what its calls return', async () => {
  const page = await readFile(resolve(import.meta.dirname, '../../docs/memory.md'), 'utf8')
  const blocks = readBlocks(page, 'js').filter((block) => !block.includes("from 'sift'"))
  const pattern = /^(?:await )?(.+\)) \/\/ (.+)$/gm
  const code = blocks.join('\n')
  const program = code.replace(
    pattern,
    (_line, call, comment) => `await check(async () => ${call}, ${JSON.stringify(comment)})`
  )

  expect(code.match(pattern)).toHaveLength(25)
  expect(await runProgram(`${CHECK}${program}`).end()).toBe(0)
})

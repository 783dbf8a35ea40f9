import { expect, it } from 'vitest'
import { readBlocks, readPage, toLocal } from '../support/page.ts'
import { shareProcess } from '../support/shared-process.ts'

const { runToEnd } = shareProcess()

/** What stands in a block that imports a package which is not here, and in one that `guides.test.ts` runs. */
const SKIPPED = ["from 'sift'", '// → ']

/** What the pages speak of without showing it. */
const SURROUNDINGS = `
const { createServer } = await import('node:http')
const { alula } = await import('alula')
const { BadRequest, isFeathersError } = await import('alula/errors')
const { default: express, errorHandler, notFound, rest } = await import('alula/express')
const { memory, MemoryService } = await import('alula/memory')

class MessageService extends MemoryService {
  async shout({ text }) {
    return { text: text.toUpperCase() }
  }
}

const app = express(alula())
const server = createServer()
const id = 1
const service = memory({ store: { 1: { id, state: 'free' } } })

app.defaultService = () => new MessageService()
app.configure(rest())

const messages = app.service('drafts')
`

/** A block with imports of its own, that may fail as a call of a client may. */
function inside(block: string): string {
  return `{
${SURROUNDINGS}
  try ${toLocal(block.replaceAll('…', 'undefined').replace('3030', '0'))}
  catch (error) {
    if (!isFeathersError(error)) throw error
  }
}
`
}

it.each(['errors', 'hooks', 'http', 'query', 'services'])('%s: each block runs', async (page) => {
  const blocks = readBlocks(await readPage(page), 'js').filter(
    (block) => !SKIPPED.some((text) => block.includes(text))
  )

  expect(blocks).not.toEqual([])
  await runToEnd(blocks.map(inside).join(''))
})

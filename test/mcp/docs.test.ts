import { expect, it } from 'vitest'
import { SECRET } from '../support/login.ts'
import { readBlocks, readPage } from '../support/page.ts'
import { runServer, runToEnd } from '../support/program.ts'

const page = await readPage('mcp')
const [program = '', client = '', ...parts] = readBlocks(page, 'js')
const [printed = ''] = readBlocks(page, 'console')

const CREDENTIALS = { email: 'ada@example.com', password: 'correct horse' }

it('the program of the guide serves its client, which prints what the guide shows', async () => {
  const { address } = await runServer(program, { SECRET })
  const post = async (path: string, data: object) => {
    const response = await fetch(`http://${address}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(data)
    })

    return (await response.json()) as any
  }

  await post('/users', CREDENTIALS)

  const { accessToken } = await post('/authentication', {
    ...{ strategy: 'local', ...CREDENTIALS },
    resource: 'http://localhost:3030/mcp'
  })
  const lines = await runToEnd(client.replace('localhost:3030', address), { TOKEN: accessToken })

  expect(lines).toEqual(printed.trim().split('\n').slice(1))
})

it.each(parts)('the options of the guide are such: %s', async (part) => {
  const before = `
import { alula } from 'alula'
import { mcp } from 'alula/mcp'
const app = alula()
const resource = 'http://localhost:3030/mcp'
`

  await runToEnd(`${before}${part}`)
})

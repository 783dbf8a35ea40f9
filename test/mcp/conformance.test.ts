import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { access, anyone } from '../../src/access.ts'
import { BadRequest } from '../../src/errors.ts'
import { toListener } from '../../src/node.ts'
import { schema } from '../../src/schema.ts'
import { createFolder, runNode } from '../support/command.ts'
import { createApp } from './support/application.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const COMMAND = join(ROOT, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')

/** Those that are about what the server has: tools, whatever they are called, and two that the package names. */
const SCENARIOS = [
  'server-initialize',
  'ping',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-error',
  'dns-rebinding-protection'
]

it.each(SCENARIOS)('the official conformance package passes %s of the era before', async (scenario) => {
  const text = 'This is a simple text response for testing.'
  const app = await createApp({ anonymous: true }, (one) => {
    const service = {
      simple_text: async () => text,
      error_handling: async () =>
        Promise.reject(new BadRequest('This tool intentionally returns an error for testing'))
    }

    one.use('test', service, {
      methods: ['simple_text', 'error_handling'],
      schema: schema(z.object({ id: z.int() }), {
        methods: { simple_text: { result: z.string() }, error_handling: { result: z.string() } }
      }),
      access: access({ all: anyone })
    })
  })
  const server = createServer(toListener(app))

  await new Promise<void>((done) => server.listen(0, 'localhost', done))
  onTestFinished(() => void server.close())

  const url = `http://localhost:${(server.address() as AddressInfo).port}/mcp`
  const args = [
    '--import',
    join(ROOT, 'test/mcp/support/glob.mjs'),
    COMMAND,
    'server',
    '--url',
    url,
    '--scenario',
    scenario
  ]
  const { stdout } = await runNode(args, { cwd: createFolder() })

  expect(stdout).toMatch(/[1-9]\d* passed, 0 failed|Passed: ([1-9]\d*)\/\1/)
})

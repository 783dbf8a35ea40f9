import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { connect } from 'node:net'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { runExample } from './support/example.ts'
import { readBlocks } from './support/page.ts'
import { expectSession } from './support/session.ts'

const run = promisify(execFile)

const EXAMPLE = resolve(import.meta.dirname, '../examples/fetch-handler')

function readReadme(): Promise<string> {
  return readFile(resolve(EXAMPLE, 'README.md'), 'utf8')
}

it('the README shows what happens', async () => {
  const example = await runExample('fetch-handler/app.js')
  const [start, session] = readBlocks(await readReadme(), 'console') as [string, string]

  expect(start).toBe(
    `$ node examples/fetch-handler/app.js\n${example.lines[0]?.replace(example.url, 'http://localhost:3030')}\n`
  )
  await expectSession([session], { 'localhost:3030': example.url })
  expect(await example.stop()).toBe(0)
})

it('the README calls it without a server', async () => {
  const [program] = readBlocks(await readReadme(), 'js') as [string]
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { cwd: EXAMPLE })
  const [, expected] = /\/\/ (.*)/.exec(program) ?? []

  expect(stdout).toBe(`${expected}\n`)
})

it('the handler can be bundled for a runtime that has no modules of Node', async () => {
  const { outputFiles } = await build({
    entryPoints: [resolve(EXAMPLE, 'handler.js')],
    bundle: true,
    format: 'esm',
    write: false
  })

  expect(outputFiles[0]?.text).not.toMatch(/(?:from|import|require\()\s*["']node:/)
})

it('the server of Node answers what a `Request` can not be, and a body that is too large', async () => {
  const { url } = await runExample('fetch-handler/app.js')
  const send = async (options: object, body?: string) => {
    const sent = request(url, options)

    sent.end(body)

    const [response] = await once(sent, 'response')

    response.resume()

    return response.statusCode
  }
  const headers = { 'Content-Type': 'application/json' }

  expect(await send({ method: 'TRACE' })).toBe(400)
  expect(await send({ path: '//' })).toBe(404)
  expect(await send({ path: '/api/notes', method: 'POST', headers }, `"${'x'.repeat(300_000)}"`)).toBe(413)
  expect(await send({ path: '/api/notes', method: 'POST', headers }, '{"text":"Hello"}')).toBe(201)
})

it('the server of Node outlives a client that goes away in the middle of a body', async () => {
  const { url } = await runExample('fetch-handler/app.js')
  const socket = connect(Number(new URL(url).port), 'localhost')

  await once(socket, 'connect')
  socket.write(
    'POST /api/notes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"t'
  )
  // It has begun to read when it has answered somebody else.
  await fetch(url)
  socket.destroy()

  expect((await fetch(`${url}/api/notes`)).status).toBe(200)
})

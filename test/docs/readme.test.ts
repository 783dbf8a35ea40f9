import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { SECRET } from '../support/login.ts'
import { runProgram, runServer } from '../support/program.ts'
import { expectSession, readBlocks } from '../support/session.ts'

function readReadme(): Promise<string> {
  return readFile(resolve(import.meta.dirname, '../../README.md'), 'utf8')
}

/** Blocks of code as one program: all imports, each once, and then all statements. */
function join(...blocks: readonly string[]): string {
  const imports = /^import [\s\S]*?from '[^']+'$/gm
  const named = new Set(blocks.flatMap((block) => block.match(imports) ?? []))

  return [...named, ...blocks.map((block) => block.replace(imports, ''))].join('\n')
}

it('the application of the README answers as it shows', async () => {
  const readme = await readReadme()
  const [application] = readBlocks(readme, 'js') as [string]
  const [session] = readBlocks(readme, 'console') as [string]
  const { address } = await runServer(application)

  await expectSession(session, { 'localhost:3030': address })
})

it('the application of the README is the quickstart', async () => {
  const [application] = readBlocks(await readReadme(), 'js')

  expect(application).toBe(
    await readFile(resolve(import.meta.dirname, '../../examples/quickstart/app.js'), 'utf8')
  )
})

it('the server and the client of the README go together', async () => {
  const readme = await readReadme()
  const [application, login, sockets, client] = readBlocks(readme, 'js') as [string, string, string, string]
  const [services, listening] = application.split(/^(?=const server = await app\.listen)/m) as [
    string,
    string
  ]
  const server = await runServer(join(services, login, sockets, listening), { SECRET })
  const program = runProgram(client.replace('localhost:3030', server.address))

  expect(await program.waitFor('Buy')).toBe('Buy bread')

  const notes = await fetch(`http://${server.address}/notes`)

  expect(notes.status).toBe(401)
})

it('the server without Express of the README answers', async () => {
  const code = readBlocks(await readReadme(), 'js').find((block) => block.includes('toListener')) as string
  const program = runProgram(
    code.replace('.listen(3030)', ".listen(0, function () { console.log('port ' + this.address().port) })")
  )
  const port = (await program.waitFor('port ')).slice('port '.length)

  expect(await (await fetch(`http://localhost:${port}/notes`)).json()).toEqual([])
})

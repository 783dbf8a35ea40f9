import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { createFolder, runNode } from '../support/command.ts'
import { SECRET } from '../support/login.ts'
import { readBlocks, toModule } from '../support/page.ts'
import { runProgram, runServer } from '../support/program.ts'
import { expectSession } from '../support/session.ts'

function read(path: string): Promise<string> {
  return readFile(resolve(import.meta.dirname, '../..', path), 'utf8')
}

/** The first program with blocks that are added before it listens. */
function extend(application: string, ...blocks: readonly string[]): string {
  const [services, listening] = application.split(/^(?=.*await app\.listen)/m) as [string, string]

  return toModule(services, ...blocks, listening)
}

it('the application of the README answers as it shows', async () => {
  const readme = await read('README.md')
  const [application] = readBlocks(readme, 'js') as [string]
  const [session] = readBlocks(readme, 'console') as [string]
  const { address, waitFor } = await runServer(application)

  await expectSession([session], { 'localhost:3030': address })
  expect(await waitFor('created')).toBe('created note 1')
})

it('the application of the README is the quickstart', async () => {
  const [application] = readBlocks(await read('README.md'), 'js')

  expect(application).toBe(await read('examples/quickstart/app.js'))
})

it('the server and the client of the README go together', async () => {
  const readme = await read('README.md')
  const [application, login, client] = readBlocks(readme, 'js') as [string, string, string]
  const [, shown] = /It prints `(.+)`/.exec(readme) as unknown as [string, string]
  const server = await runServer(extend(application, login), { SECRET })
  const program = runProgram(client.replace('localhost:3030', server.address))

  expect(await program.waitFor('')).toBe(shown)

  const notes = await fetch(`http://${server.address}/notes`)

  expect(notes.status).toBe(401)
})

it('the declared service of the README answers as it shows', async () => {
  const readme = await read('README.md')
  const [application, login, , declared] = readBlocks(readme, 'js') as [string, string, string, string]
  const [, session] = readBlocks(readme, 'console') as [string, string]
  const { address } = await runServer(extend(application, login, declared), { SECRET })

  await expectSession([session], { 'localhost:3030': address })
})

it('every language block of the README is one that a test runs', async () => {
  const readme = await read('README.md')

  expect([...readme.matchAll(/^```(\w+)$/gm)].map(([, language]) => language)).toEqual([
    ...['js', 'console', 'js', 'js', 'js', 'console']
  ])
})

it('the figures of the README are those of the benchmarks, and others are found', async () => {
  const folder = createFolder()
  const names = [
    'README.md',
    'bench/results/rest.md',
    'bench/results/rest-node24.md',
    'bench/results/install.md',
    'scripts/figures.mjs'
  ]
  const script = join(folder, 'scripts/figures.mjs')

  for (const name of names) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), await read(name))
  }
  expect(await runNode([script, '--check'])).toMatchObject({ code: 0 })

  const readme = await read('README.md')

  await writeFile(join(folder, 'README.md'), readme.replace(/\d\.\d\d \|$/m, '9.99 |'))
  expect(await runNode([script, '--check'])).toMatchObject({ code: 1 })
  await runNode([script])
  expect(await readFile(join(folder, 'README.md'), 'utf8')).toBe(readme)
})

it('the README has at most 130 lines', async () => {
  expect((await read('README.md')).trimEnd().split('\n').length).toBeLessThanOrEqual(130)
})

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
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

it('the figures of the README are those of the benchmarks', async () => {
  const [readme, rest, install] = await Promise.all([
    read('README.md'),
    read('bench/results/rest.md'),
    read('bench/results/install.md')
  ])
  const ratios = rest.split('The same as a ratio to Express 5 by hand')[1] as string
  const rows = [...readme.matchAll(/^\| (.+?) \|((?: \d+\.\d\d \|){5})$/gm)]

  expect(rows).toHaveLength(5)

  for (const [, server = '', figures = ''] of rows) {
    const measured = ratios
      .split('\n')
      .find((line) => line.startsWith(`| ${server.replaceAll('`', '').replace(' by hand', '')} `))

    expect(measured?.match(/\d+\.\d\d(?= \()/g), server).toEqual(figures.match(/\d+\.\d\d/g))
  }

  for (const [, packages, size] of readme.matchAll(/(\d+)(?: packages)? \(([\d.]+) MB\)/g))
    expect(install).toMatch(new RegExp(`\\| ${packages} +\\| ${size} `))
})

it('the README has at most 130 lines', async () => {
  expect((await read('README.md')).trimEnd().split('\n').length).toBeLessThanOrEqual(130)
})

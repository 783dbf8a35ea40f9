import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { toListener } from '../../src/node.ts'
import { listen } from '../support/server.ts'

// The message of an unexpected error may hold what a client has sent. With a line break in it, a client wrote a line of the log.

const LINE = '2026-11-30 INFO admin logged in'

/** An error that has changed since its stack was made. */
function change(error: Error, changes: object): Error {
  // Some hooks of Node make the stack when it is read.
  expect(error.stack).toBeTypeOf('string')

  return Object.assign(error, changes)
}

/** The lines that are logged when a service fails with an error that holds the id, without their frames. */
async function log(toError: (id: string) => unknown, id: string): Promise<readonly string[]> {
  const app = alula()
  const messages: string[] = []
  const logger = { error: (message: string) => messages.push(message) }

  app.use('files', { get: async (id: string) => Promise.reject(toError(id)) })
  await app.setup()

  const url = await listen(createServer(toListener(app, { logger })))

  expect((await fetch(`${url}/files/${encodeURIComponent(id)}`)).status).toBe(500)
  expect(messages).toHaveLength(1)

  return messages
    .join('\n')
    .split(/[\n\r]/)
    .filter((line) => !/^ +at .*[/:]/.test(line))
}

it.each<[string, (id: string) => unknown, readonly string[]]>([
  ['an error', (id) => new Error(`no ${id}`), ['Error: no x LINE']],
  [
    'its causes',
    (id) => new Error('failed', { cause: new TypeError(id, { cause: id }) }),
    ['Error: failed', 'Caused by: TypeError: x LINE', 'Caused by: x LINE']
  ],
  ['a string', (id) => id, ['x LINE']],
  [
    'an error with another message by now',
    (id) => change(new Error(id), { message: 'a' }),
    ['Error: x LINE']
  ],
  ['an error with another name by now', (id) => change(new Error(id), { name: 'E' }), ['Error: x LINE']],
  ['an error without a stack', (id) => Object.assign(new Error(id), { stack: undefined }), ['undefined']]
])('no line of the log is written by a client, in %s', async (_title, toError, expected) => {
  const lines = expected.map((line) => line.replace('LINE', LINE))

  for (const breaks of ['\n', '\r\n', '\r', '\n\n', '\u001b\n']) {
    expect(await log(toError, `x${breaks}${LINE}`), JSON.stringify(breaks)).toEqual(lines)
  }
})

it('nor a frame of the stack', async () => {
  expect(await log((id) => new Error(id), 'x\n    at y')).toEqual(['Error: x     at y'])
})

it('frames stay as they are', async () => {
  const error = new Error('why')
  const messages: string[] = []
  const app = alula().use('files', { find: async () => Promise.reject(error) })

  await app.setup()

  const logger = { error: (message: string) => messages.push(message) }

  await fetch(`${await listen(createServer(toListener(app, { logger })))}/files`)
  expect(messages).toEqual([error.stack])
})

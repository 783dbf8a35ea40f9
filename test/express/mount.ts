import { once } from 'node:events'
import { createServer } from 'node:http'
import original from 'express'
import { onTestFinished } from 'vitest'
import { toUrl } from '../support/server.ts'

/** Starts a server of plain Express, which is closed when the test ends. Returns its URL. */
export async function mount(prepare: (server: original.Express) => void): Promise<string> {
  const listener = original()

  prepare(listener)

  const server = createServer(listener).listen(0, '127.0.0.1')

  await once(server, 'listening')
  onTestFinished(() => void server.close())

  return toUrl(server)
}

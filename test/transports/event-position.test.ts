import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import express, { rest } from '../../src/express.ts'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { koa, rest as koaRest } from '../../src/koa.ts'
import { openLog } from '../../src/log/log.ts'
import { memory } from '../../src/memory.ts'
import { toListener } from '../../src/node.ts'
import { serve, toUrl } from '../support/server.ts'

const NOBODY = { connections: new Set<object>(), tellPosition: () => undefined, tellGap: () => undefined }

function configure(app: any): any {
  app.use('things', memory({ startId: 1 }))
  app.publish(() => app.channel('all'))

  return app
}

async function listen(app: any): Promise<string> {
  const server = createServer(toListener(app, { cors: { exposedHeaders: ['ETag'] } }))

  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())

  return toUrl(server)
}

const openers: {
  readonly [name: string]: () => Promise<
    [app: any, ask: (path: string, init?: RequestInit) => Promise<Response>]
  >
} = {
  async createHandler() {
    const app = configure(alula())
    const handle = createHandler(app)

    return [app, (path, init) => handle(new Request(`http://localhost${path}`, init))]
  },
  async toListener() {
    const app = configure(alula())
    const url = await listen(app)

    return [app, (path, init) => fetch(url + path, init)]
  },
  async express() {
    const app = configure(express(alula()).configure(rest()))
    const url = await serve(app)

    return [app, (path, init) => fetch(url + path, init)]
  },
  async koa() {
    const app = configure(koa(alula()).configure(koaRest()))
    const url = await serve(app)

    return [app, (path, init) => fetch(url + path, init)]
  }
}

it.each(Object.entries(openers))('%s says of what was read which events it reflects', async (_name, open) => {
  const [app, ask] = await open()

  expect((await ask('/things')).headers.get('Event-Position')).toBeNull()

  const log = openLog(app, NOBODY)

  onTestFinished(() => log.close())
  await app.service('things').create({ n: 1 })

  for (const path of ['/things', '/things/1']) {
    expect((await ask(path)).headers.get('Event-Position')).toBe(log.position)
  }

  const created = await ask('/things', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{}'
  })

  expect(created.status).toBe(201)
  expect(created.headers.get('Event-Position')).toBeNull()
})

it('the position is that before the read: an event that happens meanwhile may be missing in it', async () => {
  const [app, ask] = await (openers.createHandler as (typeof openers)[string])()
  const log = openLog(app, NOBODY)
  const { position } = log

  onTestFinished(() => log.close())
  app.use('slow', {
    find: async () => {
      await app.service('things').create({ n: 1 })

      return []
    }
  })
  expect((await ask('/slow')).headers.get('Event-Position')).toBe(position)
  expect(log.position).not.toBe(position)
})

it('pages of other origins may read it', async () => {
  const [app, ask] = await (openers.toListener as (typeof openers)[string])()
  const init = { headers: { Origin: 'https://app.example' } }

  expect((await ask('/things', init)).headers.get('Access-Control-Expose-Headers')).toBe('ETag, Accept-Query')
  onTestFinished(openLog(app, NOBODY).close)
  expect((await ask('/things', init)).headers.get('Access-Control-Expose-Headers')).toBe(
    'ETag, Event-Position, Accept-Query'
  )
})

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import express, { rest, toMiddleware } from '../../src/express.ts'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { Koa, koa, rest as koaRest } from '../../src/koa.ts'
import { toListener } from '../../src/node.ts'
import { createTypeError } from '../../src/utils/developer-error.ts'
import { mount } from '../express/mount.ts'
import { serve } from '../support/server.ts'

type Headers_ = { readonly [name: string]: string }
/** Returns the address that a service sees. */
type Ask = (headers: Headers_) => Promise<unknown>

const toParams = (_request: unknown, { address }: { address: string | undefined }) => ({ address })

function createApp(app: any = alula()): any {
  return app.use('things', { find: async ({ address = 'unknown' }: any) => ({ address }) })
}

function toAsk(url: string): Ask {
  return async (headers) => ((await (await fetch(`${url}/things`, { headers })).json()) as any).address
}

async function openNode(trustProxy?: number): Promise<Ask> {
  const options = {
    logger: false as const,
    params: toParams,
    ...(trustProxy !== undefined && { trustProxy })
  }
  const server = createServer(toListener(createApp(), options)).listen(0, '127.0.0.1')

  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })

  return toAsk(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

async function openFetch(trustProxy?: number): Promise<Ask> {
  const handle = createHandler(createApp(), {
    params: toParams,
    ...(trustProxy !== undefined && { trustProxy })
  })

  return async (headers) =>
    (
      (await (
        await handle(new Request('http://a/things', { headers }), { address: '127.0.0.1' })
      ).json()) as any
    ).address
}

async function openRest(trustProxy = 0): Promise<Ask> {
  const app: any = express(alula())

  app.set('trust proxy', trustProxy)
  app.configure(rest({ params: toParams }))
  createApp(app)

  return toAsk(await serve(app))
}

async function openMiddleware(trustProxy = 0): Promise<Ask> {
  const url = await mount((server) => {
    server.set('trust proxy', trustProxy)
    server.use(toMiddleware(createApp(), { params: toParams }))
  })

  return toAsk(url)
}

const openers = {
  toListener: openNode,
  createHandler: openFetch,
  rest: openRest,
  toMiddleware: openMiddleware
}

it.each(Object.entries(openers))(
  '%s knows the address of the client, whatever it writes itself',
  async (_name, open) => {
    const ask = await open()

    expect(await ask({})).toBe('127.0.0.1')
    expect(await ask({ 'X-Forwarded-For': '9.9.9.9' })).toBe('127.0.0.1')
    expect(await ask({ Forwarded: 'for=9.9.9.9', 'X-Real-IP': '9.9.9.9' })).toBe('127.0.0.1')
  }
)

it.each(Object.entries(openers))('%s counts the proxies that are in front', async (_name, open) => {
  const [one, two] = [await open(1), await open(2)]

  expect(await one({})).toBe('127.0.0.1')
  expect(await one({ 'X-Forwarded-For': '1.1.1.1' })).toBe('1.1.1.1')
  expect(await one({ 'X-Forwarded-For': '9.9.9.9, 8.8.8.8, 1.1.1.1' })).toBe('1.1.1.1')
  expect(await two({ 'X-Forwarded-For': '9.9.9.9, 1.1.1.1, 2.2.2.2' })).toBe('1.1.1.1')
  expect(await two({ 'X-Forwarded-For': '1.1.1.1' })).toBe('1.1.1.1')
})

it('Express takes the host that the first of its proxies was asked for', async () => {
  const ask = async (setting: unknown): Promise<string> => {
    const app: any = express(alula())

    app.set('trust proxy', setting)
    app.configure(rest())
    app.mount('/host', async ({ url }: Request) => new Response(new URL(url).host))

    const headers = { 'X-Forwarded-Host': 'nine.example, one.example, two.example' }

    return (await fetch(`${await serve(app)}/host`, { headers })).text()
  }

  for (const setting of [0, false, '10.0.0.1']) expect(await ask(setting)).toMatch(/^127\.0\.0\.1:/)
  for (const setting of [1, true, 'loopback']) expect(await ask(setting)).toBe('two.example')
  expect(await ask(2)).toBe('one.example')
})

it('Koa takes the host that the first of its proxies was asked for', async () => {
  const ask = async (options: object): Promise<string> => {
    const app = koa(alula(), new Koa(options))

    app.configure(koaRest())
    app.mount('/host', async ({ url }) => new Response(new URL(url).host))

    const headers = { 'X-Forwarded-Host': 'nine.example, one.example, two.example' }

    return (await fetch(`${await serve(app)}/host`, { headers })).text()
  }

  expect(await ask({})).toMatch(/^127\.0\.0\.1:/)
  expect(await ask({ proxy: true })).toBe('two.example')
  expect(await ask({ proxy: true, maxIpsCount: 2 })).toBe('one.example')
})

it('Koa takes the address that its proxies have written', async () => {
  const open = async (options: object): Promise<Ask> => {
    const app: any = koa(alula(), new Koa(options))

    app.configure(koaRest({ params: toParams }))
    createApp(app)

    return toAsk(await serve(app))
  }
  const headers = { 'X-Forwarded-For': '9.9.9.9, 1.1.1.1, 2.2.2.2' }
  const one = await open({ proxy: true })

  expect(await (await open({}))(headers)).toBe('127.0.0.1')
  expect(await one(headers)).toBe('2.2.2.2')
  expect(await one({})).toBe('127.0.0.1')
  expect(await (await open({ proxy: true, maxIpsCount: 2 }))(headers)).toBe('1.1.1.1')
  expect(await (await open({ proxy: true, proxyIpHeader: 'X-Real-IP' }))({ 'X-Real-IP': '1.1.1.1' })).toBe(
    '1.1.1.1'
  )
})

it.each([
  ['toListener', (options: any) => toListener(alula(), options)],
  ['createHandler', (options: any) => createHandler(alula(), options)]
])('%s refuses a number of proxies that is none', (name, create) => {
  for (const trustProxy of [-1, 1.5, '1', true, null, Number.NaN]) {
    expect(() => create({ trustProxy })).toThrow(
      `Invalid option 'trustProxy' of ${name}: expected the number of proxies in front, got `
    )
  }
})

it('an address is unknown where a Fetch server does not say it', async () => {
  const seen: unknown[] = []
  const handle = createHandler(createApp(), {
    params: (_request, details) => {
      seen.push(details.address)

      return {}
    }
  })

  // What servers pass as their own second argument.
  for (const details of [undefined, {}, { address: 5 }, { waitUntil() {} }] as any[]) {
    await handle(new Request('http://a/things'), details)
  }
  expect(seen).toEqual([undefined, undefined, undefined, undefined])
})

it.each(['rest', 'toMiddleware'])('%s refuses options that are settings of Express', (name) => {
  const create = (options: any) => (name === 'rest' ? rest(options) : toMiddleware(alula(), options))

  expect(() => create({ trustProxy: 1 })).toThrow(
    createTypeError(
      'ALULA_INVALID_OPTION',
      `Invalid option 'trustProxy' of ${name}: expected app.set('trust proxy', …) of Express instead, got 1`
    )
  )
  expect(() => create({ cors: true })).toThrow(
    createTypeError(
      'ALULA_INVALID_OPTION',
      `Invalid option 'cors' of ${name}: expected the middleware 'cors' of Express instead, got true`
    )
  )
})

it('rest refuses etag, which is a setting of Express', () => {
  expect(() => rest({ etag: false } as any)).toThrow(
    createTypeError(
      'ALULA_INVALID_OPTION',
      "Invalid option 'etag' of rest: expected app.set('etag', …) of Express instead, got false"
    )
  )
})

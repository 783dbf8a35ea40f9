import original from 'express'
import { describe, expect, it } from 'vitest'
import express, { errorHandler, rest, toMiddleware } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { serve } from '../support/server.ts'
import { mount } from './mount.ts'

// Some settings of Express change how JSON is written. They hold for services as they hold for a route of Express.

const DATA = { text: '<ü>', list: [1, { secret: 'x' }] }
const SERVICE = { find: async () => DATA, create: async () => DATA }

type Settings = { [name: string]: unknown }
type Open = (settings: Settings) => Promise<string>

const transports: [string, Open][] = [
  [
    'rest()',
    (settings) => {
      const app: any = express(alula())

      for (const [name, value] of Object.entries(settings)) app.set(name, value)
      app.configure(rest())
      app.use('things', SERVICE)
      app.get('/route', (_request: any, response: any) => response.json(DATA))
      app.use(errorHandler({ logger: false }))

      return serve(app)
    }
  ],
  [
    'toMiddleware()',
    (settings) =>
      mount((server) => {
        for (const [name, value] of Object.entries(settings)) server.set(name, value)
        server.use(toMiddleware(alula().use('things', SERVICE), { logger: false }))
        server.get('/route', (_request, response) => void response.json(DATA))
      })
  ]
]

/** What of an answer a client sees. Express sends no 304 to who asks for `no-cache`, as `fetch` does by itself. */
async function look(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    headers: { 'Cache-Control': 'max-age=0', ...headers, Connection: 'close' }
  })
  const [type, tag, length] = ['content-type', 'etag', 'content-length'].map((name) =>
    response.headers.get(name)
  )

  return { status: response.status, type, tag, length, text: await response.text() }
}

describe.each(transports)('behind %s', (_title, open) => {
  it.each<[string, Settings, string]>([
    ['json spaces', { 'json spaces': 2 }, JSON.stringify(DATA, null, 2)],
    [
      'json replacer',
      { 'json replacer': (name: string, value: unknown) => (name === 'secret' ? undefined : value) },
      '{"text":"<ü>","list":[1,{}]}'
    ],
    ['json replacer as a list', { 'json replacer': ['text'] }, '{"text":"<ü>"}'],
    ['json escape', { 'json escape': true }, JSON.stringify(DATA).replace(/[<>]/g, escapeCharacter)],
    ['etag strong', { etag: 'strong' }, JSON.stringify(DATA)],
    ['etag by a function', { etag: () => '"mine"' }, JSON.stringify(DATA)],
    ['no etag', { etag: false }, JSON.stringify(DATA)]
  ])('a service answers as a route does with the setting %s', async (_name, settings, text) => {
    const url = await open(settings)
    const answer = await look(`${url}/things`)

    expect(answer.text).toBe(text)
    expect(answer).toEqual(await look(`${url}/route`))
  })

  it.each<[string, Settings, string | RegExp]>([
    ['strong', { etag: 'strong' }, /^"/],
    ['weak', { etag: 'weak' }, /^W\/"/],
    ['that of a function', { etag: () => '"mine"' }, '"mine"'],
    ['the usual one', {}, /^W\/"/],
    ['the usual one when switched on', { etag: true }, /^W\/"/]
  ])('the tag of an answer is %s, and who has it gets a 304', async (_name, settings, expected) => {
    const url = await open(settings)
    const { tag } = await look(`${url}/things`)

    expect(tag).toMatch(expected)
    expect(await look(`${url}/things`, { 'If-None-Match': tag as string })).toMatchObject({
      status: 304,
      tag,
      text: ''
    })
    expect(await look(`${url}/things`, { 'If-None-Match': '"other"' })).toMatchObject({ status: 200, tag })
  })

  it('an answer without a tag is never a 304', async () => {
    const url = await open({ etag: false })

    expect(await look(`${url}/things`, { 'If-None-Match': '*' })).toMatchObject({ status: 200, tag: null })
  })
})

function escapeCharacter(character: string): string {
  return character === '<' ? '\\u003c' : '\\u003e'
}

it('an application that changes its settings while it listens answers as they are now', async () => {
  const app: any = express(alula())

  app.configure(rest())
  app.use('things', SERVICE)

  const url = await serve(app)

  expect((await look(`${url}/things`)).text).toBe(JSON.stringify(DATA))
  app.set('json spaces', 1)
  expect((await look(`${url}/things`)).text).toBe(JSON.stringify(DATA, null, 1))
  app.set('json spaces', 0)
  expect((await look(`${url}/things`)).text).toBe(JSON.stringify(DATA))
})

it('what middleware puts in place of the data is written by the settings too', async () => {
  const app: any = express(alula())

  app.set('json spaces', 1)
  app.configure(rest())
  app.use('things', SERVICE, (_request: any, response: any, next: any) => {
    response.data = { replaced: true }
    next()
  })

  expect((await look(`${await serve(app)}/things`)).text).toBe('{\n "replaced": true\n}')
})

it.each<[string, Settings, object]>([
  ['no settings', {}, {}],
  [
    'middleware',
    {},
    { express: { before: [(_request: any, _response: any, next: any) => next()], after: [] } }
  ],
  ['strong tags', { etag: 'strong' }, {}],
  ['tags by a function', { etag: () => '"mine"' }, {}]
])('toMiddleware() without tags sends none, and no 304, with %s', async (_title, settings, options) => {
  const url = await mount((server) => {
    for (const [name, value] of Object.entries(settings)) server.set(name, value)
    server.use(toMiddleware(alula().use('things', SERVICE, options), { logger: false, etag: false }))
  })

  expect(await look(`${url}/things`, { 'If-None-Match': '*' })).toMatchObject({
    status: 200,
    tag: null,
    text: JSON.stringify(DATA)
  })
})

it.each<[string, object]>([
  ['without middleware', {}],
  ['with middleware', { after: [(_request: any, _response: any, next: any) => next()] }]
])(
  'a service %s gets the 500 of Express when its replacer throws for errors too',
  async (_title, express) => {
    const url = await mount((server) => {
      server.set('json replacer', (_name: string, value: any) => value.trim())
      server.use(toMiddleware(alula().use('things', SERVICE, { express }), { logger: false }))
    })
    const response = await fetch(`${url}/things`)

    expect([response.status, response.headers.get('content-type')]).toEqual([500, 'text/html; charset=utf-8'])
  }
)

it('an application that is mounted on another one answers by settings of its own', async () => {
  const [outer, inner] = [original(), original()]

  outer.set('json spaces', 4)
  inner.set('json spaces', 1)
  inner.use(toMiddleware(alula().use('things', { find: async () => ({ a: 1 }) }), { logger: false }))

  const url = await mount((server) => void server.use('/outer', outer.use('/inner', inner)))

  expect((await look(`${url}/outer/inner/things`)).text).toBe('{\n "a": 1\n}')
})

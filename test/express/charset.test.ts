import original from 'express'
import { expect, it } from 'vitest'
import express, { errorHandler, rest, toMiddleware } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { toListener } from '../../src/node.ts'
import { serve } from '../support/server.ts'
import { mount } from './mount.ts'

const stored: unknown[] = []
const configure = (app: any) => {
  app.use('things', { create: async (data: any) => ({ count: stored.push(data) }) }, { forms: true })

  return app
}

/** The ways to a service behind the body parsers of Express. */
const roads: { readonly [name: string]: () => Promise<string> } = {
  rest: async () => {
    const app: any = express(alula())

    app.use(original.json(), original.urlencoded({ extended: true }))
    app.configure(rest())
    configure(app)
    app.use(errorHandler({ logger: false }))

    return serve(app)
  },
  'rest with middleware of the service': async () => {
    const app: any = express(alula())

    app.configure(rest())
    app.use('things', original.json(), original.urlencoded({ extended: true }), {
      create: async (data: any) => ({ count: stored.push(data) })
    })
    app.use(errorHandler({ logger: false }))

    return serve(app)
  },
  toMiddleware: () =>
    mount((server) =>
      server
        .use(
          original.json(),
          original.urlencoded({ extended: true }),
          toMiddleware(configure(alula()), { logger: false })
        )
        .use(errorHandler({ logger: false }))
    ),
  'toMiddleware with a formatter': () =>
    mount((server) =>
      server
        .use(
          original.json(),
          original.urlencoded({ extended: true }),
          toMiddleware(configure(alula()), {
            logger: false,
            formatter: (_request, response) => void response.json(response.data)
          })
        )
        .use(errorHandler({ logger: false }))
    ),
  toListener: () =>
    mount((server) =>
      server
        .use(original.json(), original.urlencoded({ extended: true }))
        .use(toListener(configure(alula()), { logger: false }))
        .use(errorHandler({ logger: false }))
    )
}

/** JSON in a charset, as a filter in front that expects UTF-8 would not see it. */
const BODIES: { readonly [charset: string]: Buffer } = {
  'utf-7': Buffer.from('{"a":"+ADw-script+AD4-"}'),
  'utf-16': Buffer.from('\ufeff{"a":1}', 'utf16le'),
  'utf-16le': Buffer.from('{"a":1}', 'utf16le'),
  'UTF-16': Buffer.from('\ufeff{"a":1}', 'utf16le'),
  'iso-8859-1': Buffer.from('{"a":"\xe9"}', 'latin1')
}

it.each(Object.keys(roads).flatMap((road) => Object.keys(BODIES).map((charset) => [road, charset])))(
  'through %s, a body in %s is a 415 although a parser of Express reads it',
  async (road, charset) => {
    const url = await (roads[road] as () => Promise<string>)()
    const send = async (type: string) =>
      (
        await fetch(`${url}/things`, {
          method: 'POST',
          headers: { 'Content-Type': type, Connection: 'close' },
          body: BODIES[charset as string] as any
        })
      ).status

    stored.length = 0
    expect(await send(`application/json; charset=${charset}`)).toBe(415)
    expect(await send(`application/json;x=1;charset="${charset}"`)).toBe(415)
    expect(await send(`application/x-www-form-urlencoded; charset=${charset}`)).toBe(415)
    expect(stored).toEqual([])
  }
)

it.each(Object.keys(roads))('through %s, a body in UTF-8 is data', async (road) => {
  const url = await (roads[road] as () => Promise<string>)()

  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'application/json; charset="UTF-8"'
  ]) {
    const response = await fetch(`${url}/things`, {
      method: 'POST',
      headers: { 'Content-Type': type, Connection: 'close' },
      body: '{"a":1}'
    })

    expect(response.status).toBe(201)
  }
})

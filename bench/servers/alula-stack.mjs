import { Writable } from 'node:stream'
import { json } from '../../dist/express.js'
import { createServer as createPlainServer } from './alula-listen.mjs'

/** alula with what applications have in front of their services: a parser, a log, a route. */
export async function createServer(options) {
  const log = new Writable({ write: (_line, _encoding, done) => done() })

  return createPlainServer(options, (app) => {
    app.use(json())
    app.use((request, response, next) => {
      const start = performance.now()

      response.on('finish', () => {
        const { method, originalUrl } = request

        log.write(
          `${method} ${originalUrl} ${response.statusCode} ${(performance.now() - start).toFixed(1)}\n`
        )
      })
      next()
    })
    app.get('/health', (_request, response) => response.json({ ok: true }))
  })
}

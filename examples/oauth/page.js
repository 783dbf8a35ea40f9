import { fileURLToPath } from 'node:url'
import { serveStatic } from 'alula/express'
import { build } from 'esbuild'

const PUBLIC = fileURLToPath(new URL('public', import.meta.url))
const CLIENT = fileURLToPath(new URL('client.js', import.meta.url))

/** Bundles the client, which stays in memory, and serves it with the files of `public`. */
export async function createPage() {
  const options = { bundle: true, format: 'esm', target: 'es2022', write: false }
  const { outputFiles } = await build({ entryPoints: [CLIENT], ...options })
  const [client] = outputFiles

  return (app) => {
    app.use(setHeaders)
    app.get('/client.js', (_request, response) => response.type('js').send(client.text))
    app.use(serveStatic(PUBLIC))
  }
}

/** The browser loads nothing that is not from here. The page has to say where it is when it starts a login. */
function setHeaders(_request, response, next) {
  response.set({
    'Content-Security-Policy':
      "default-src 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'",
    'Referrer-Policy': 'strict-origin-when-cross-origin',
    'X-Content-Type-Options': 'nosniff'
  })
  next()
}

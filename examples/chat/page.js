import { fileURLToPath } from 'node:url'
import { serveStatic } from 'alula/express'
import { build } from 'esbuild'

const PUBLIC = fileURLToPath(new URL('public', import.meta.url))
const CLIENT = fileURLToPath(new URL('client.js', import.meta.url))

/** Bundles the client, which stays in memory, and serves it with the files of `public`. */
export async function createPage() {
  const { outputFiles } = await build({
    entryPoints: [CLIENT],
    bundle: true,
    format: 'esm',
    minify: true,
    target: 'es2022',
    write: false
  })
  const [client] = outputFiles

  return (app) => {
    app.use(setHeaders)
    app.get('/client.js', (_request, response) => response.type('js').send(client.text))
    app.use(serveStatic(PUBLIC))
  }
}

/** The browser loads nothing that is not from here, and runs no script and no style that stands in the page. */
function setHeaders(_request, response, next) {
  response.set({
    'Content-Security-Policy':
      "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff'
  })
  next()
}

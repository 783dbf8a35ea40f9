import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serveStatic } from 'alula/express'
import type { Application } from './declarations.ts'

const folder = fileURLToPath(new URL('../dist/web', import.meta.url))

/** Serves the page that `npm run build` makes. During development Vite serves it. */
export function web(app: Application): void {
  const files = serveStatic(folder)

  // The names of these files change with their content.
  app.use('/assets', serveStatic(join(folder, 'assets'), { immutable: true, maxAge: '1y' }))
  app.use(files)
  // Routes of the page, such as `/products`: browsers ask for HTML when they open one.
  app.get('/{*path}', (request, response, next) => {
    if (request.path.startsWith('/api/') || request.accepts(['json', 'html']) !== 'html') return next()

    request.url = '/index.html'
    files(request, response, next)
  })
}

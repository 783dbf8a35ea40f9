import { createError } from '../utils/developer-error.ts'
import { rethrowMissingPeer } from '../utils/peer.ts'
import type { DocumentPage } from './page.ts'

/** The files of the package that the page uses, and their types. */
const FILES: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['favicon-32x32.png', 'image/png']
])

const HTML = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API</title>
<link rel="icon" href="favicon-32x32.png">
<link rel="stylesheet" href="swagger-ui.css">
<main id="page"></main>
<script src="swagger-ui-bundle.js"></script>
<script src="start.js"></script>
</html>
`

/** Without the badge of a validator, which would ask another site. */
const SCRIPT = `SwaggerUIBundle({ url: '../openapi.json', dom_id: '#page', validatorUrl: null })\n`

const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'self'"

/** Opens the page of `swagger-ui-dist`. Throws an Error where the package is not installed. */
export function openSwaggerUi(): DocumentPage {
  const { fs, folder } = openFolder()
  const toResponse = (body: string | Uint8Array<ArrayBuffer>, type: string) =>
    new Response(body, { headers: { 'Content-Type': type, 'Content-Security-Policy': POLICY } })

  return {
    async read(file) {
      if (file === '') return toResponse(HTML, 'text/html; charset=utf-8')
      if (file === 'start.js') return toResponse(SCRIPT, 'text/javascript; charset=utf-8')

      const type = FILES.get(file)

      return type === undefined
        ? undefined
        : toResponse(new Uint8Array(await fs.promises.readFile(`${folder}/${file}`)), type)
    }
  }
}

/** Runtimes without files load this module too, for the page of the library: modules of Node are taken when needed. */
function openFolder() {
  const load = globalThis.process?.getBuiltinModule

  if (!load)
    throw createError(
      'ALULA_UNSUPPORTED_RUNTIME',
      "openapi({ page: 'swagger-ui' }) reads files, which this runtime does not have"
    )

  try {
    // A bundle in CommonJS has no URL: its packages are beside the file that was started.
    const file = load('node:module')
      .createRequire(import.meta.url ?? load('node:path').resolve(process.argv[1] ?? 'bundle'))
      .resolve('swagger-ui-dist/package.json')

    return { fs: load('node:fs'), folder: load('node:path').dirname(file) }
  } catch (cause) {
    return rethrowMissingPeer('swagger-ui-dist', "openapi({ page: 'swagger-ui' })")(cause)
  }
}

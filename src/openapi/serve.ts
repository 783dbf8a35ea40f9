import { decide } from '../access/access.ts'
import { verifyCredentials } from '../access/credentials.ts'
import type { AccessRule } from '../access/rules.ts'
import { assertCalled } from '../core/assert-application.ts'
import type { Application, HookContext, MountedDetails, MountedHandler, Params } from '../core/types.ts'
import { NotFound } from '../errors.ts'
import { keepMade } from '../manifest/services.ts'
import { createEtag } from '../transport/encode.ts'
import { isFunction } from '../utils/check.ts'
import { assertOptions, type OptionCheck } from '../utils/options.ts'
import { helpsDevelopers } from '../utils/runtime.ts'
import { openAlulaPage } from './alula-page.ts'
import { toConditional } from './conditional.ts'
import { DOCUMENT_CHECKS, toOpenApi } from './document.ts'
import type { DocumentPage } from './page.ts'
import type { PageInfo } from './page-data.ts'
import { openSwaggerUi } from './swagger-ui.ts'
import type { OpenApiOptions } from './types.ts'

/** What opens the pages. */
const PAGES = { alula: openAlulaPage, 'swagger-ui': openSwaggerUi } as const satisfies {
  [name: string]: (app: Application, info: PageInfo) => DocumentPage
}

/** The pages that there are. */
export type PageName = keyof typeof PAGES

const PAGE_CHECK: OptionCheck = [
  (page) => page === false || Object.hasOwn(PAGES, page as string),
  `false, or one of ${Object.keys(PAGES)
    .map((name) => `'${name}'`)
    .join(', ')}`
]

/** How the document is served. */
export interface ServeOptions extends OpenApiOptions {
  /**
   * Who gets the document and the page: a rule such as `user`, `role('admin')` or a function of the context. Without it
   * all clients do in development, and none in production: they are not there then.
   */
  readonly access?: AccessRule
  /**
   * The page at `/docs`: that of the library when left out. `'swagger-ui'` needs the package `swagger-ui-dist`, and `false`
   * is for none.
   */
  readonly page?: PageName | false
}

const DOCUMENT = '/openapi.json'
const PAGE = '/docs'

/**
 * Serves the document of an application at `/openapi.json`, and a page to try its services at `/docs`, on every HTTP
 * transport; those of a sub-application are under its path. The document is made at the first request. In production
 * (`NODE_ENV`) neither is served unless `access` says to whom.
 *
 * @param options The title and the addresses of the API, who gets the document, and the page that shows it
 * @returns A function for `app.configure`
 * @throws TypeError for options that are not valid; Error for a page whose package is not installed
 * @example
 * app.configure(openapi({ info: { title: 'Notes', version: '1.0.0' }, access: role('admin') }))
 */
export function openapi(options: ServeOptions = {}): (app: any) => void {
  assertCalled('openapi', options)
  assertOptions('openapi()', options, {
    ...DOCUMENT_CHECKS,
    access: [isFunction, "a rule such as user or role('admin')"],
    page: PAGE_CHECK
  })

  const { access, page = 'alula', ...document } = options

  return (app: Application) => {
    if (!access && !helpsDevelopers()) return

    app.mount(DOCUMENT, guard(app, access, serveDocument(app, document)))
    if (!page) return

    const opened = PAGES[page](app, { ...document.info, isForAll: !access })

    app.mount(
      PAGE,
      guard(app, access, servePage(opened), (path) => opened.isOpen?.(toFile(path)) === true)
    )
  }
}

/** Lets requests pass that may read, and those alone whom the rule admits, except for what is open to others too. */
function guard(
  app: Application,
  rule: AccessRule | undefined,
  serve: MountedHandler,
  isOpen: (path: string) => boolean = () => false
): MountedHandler {
  return async (request, details) => {
    if (rule && !isOpen(toPathBelow(request, details))) await admit(app, rule, details.params)
    if (!['GET', 'HEAD'].includes(request.method)) {
      return new Response(null, { status: 405, headers: { Allow: 'GET, HEAD' } })
    }

    const response = await serve(request, details)

    // No shared cache may keep what is not for all.
    response.headers.set('Cache-Control', rule ? 'private, no-cache' : 'no-cache')
    response.headers.set('X-Content-Type-Options', 'nosniff')

    return response
  }
}

async function admit(app: Application, rule: AccessRule, params: Params): Promise<void> {
  const context = { app, params, path: DOCUMENT.slice(1), method: 'read' } as HookContext

  await verifyCredentials(context)
  await decide(context, rule)
}

function serveDocument(app: Application, options: OpenApiOptions): MountedHandler {
  const getDocument = keepMade(app, () => {
    const text = JSON.stringify(toOpenApi(app, options))

    return { text, tag: createEtag(text) }
  })

  return (request, details) => {
    if (toPathBelow(request, details) !== '') throw new NotFound('Not Found')

    const { text, tag } = getDocument()

    return toConditional(request, text, { 'Content-Type': 'application/json; charset=utf-8' }, tag)
  }
}

/** The files of a page are beside each other, so the page itself has to be at a path that ends with a slash. */
function servePage(page: DocumentPage): MountedHandler {
  return async (request, details) => {
    const path = toPathBelow(request, details)

    if (path === '') {
      return new Response(null, { status: 308, headers: { Location: `${PAGE.slice(1)}/` } })
    }

    const response = await page.read(toFile(path), request)

    if (!response) throw new NotFound('Not Found')

    return response
  }
}

/** The path of a request below the one that a function is mounted for. */
function toPathBelow(request: Request, { prefix }: MountedDetails): string {
  return new URL(request.url).pathname.slice(prefix.length)
}

/** The path of a file of the page: empty for the page itself. */
function toFile(path: string): string {
  return path.slice(1)
}

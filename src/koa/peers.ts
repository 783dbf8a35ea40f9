// The optional packages that are wrapped. Each is imported by its name where it is used, so that bundlers find it.
import type { Next } from 'koa'
import { assertOrigin } from '../transport/cors.ts'
import { rethrowMissingPeer } from '../utils/peer.ts'
import type { FeathersKoaContext, Middleware } from './context.ts'

/** Middleware of a package. It waits for the import. */
export interface LoadedMiddleware extends Middleware {
  /** Rejects where the package is not installed, or refuses its options. */
  readonly loaded: Promise<unknown>
}

const OWNER = "'alula/koa'"

/** The options of {@link bodyParser}: those of `koa-body`. */
export interface BodyParserOptions {
  /** How much JSON is read, in bytes or as `'1mb'`. */
  jsonLimit?: string | number
  /** How much of an HTML form is read. */
  formLimit?: string | number
  /** How much text is read. */
  textLimit?: string | number
  /** Whether multipart forms are parsed; `ctx.request.files` has their files. `false` when left out. */
  multipart?: boolean
  /** Whether HTML forms are parsed; `true` when left out. */
  urlencoded?: boolean
  /** Whether JSON is parsed; `true` when left out. */
  json?: boolean
  /** Whether text is parsed; `true` when left out. */
  text?: boolean
  /** The options of `formidable`, which reads multipart forms. */
  formidable?: object
  /** The verbs whose bodies are parsed. */
  parsedMethods?: string[]
  [option: string]: unknown
}

/** The options of {@link cors}: those of `@koa/cors`. */
export interface CorsOptions {
  /** `Access-Control-Allow-Origin`: one origin, or a function that decides on it; `*` when left out. */
  origin?: string | ((context: any) => string | PromiseLike<string>)
  /** `Access-Control-Allow-Methods`. */
  allowMethods?: string | string[]
  /** `Access-Control-Expose-Headers`. */
  exposeHeaders?: string | string[]
  /** `Access-Control-Allow-Headers`. */
  allowHeaders?: string | string[]
  /** `Access-Control-Max-Age`, in seconds. */
  maxAge?: string | number
  /** `Access-Control-Allow-Credentials`. */
  credentials?: boolean | ((context: any) => boolean | PromiseLike<boolean>)
  /** Whether an error keeps the headers; `true` when left out. */
  keepHeadersOnError?: boolean
  /** Whether `Cross-Origin-Opener-Policy` and `Cross-Origin-Embedder-Policy` are set. */
  secureContext?: boolean
  /** Whether requests for private networks are accepted. */
  privateNetworkAccess?: boolean
}

/** The options of {@link serveStatic}: those of `koa-static`. */
export interface ServeStaticOptions {
  /** How long browsers may keep a file, in milliseconds. */
  maxage?: number
  /** Whether files whose name begins with a dot are served. */
  hidden?: boolean
  /** The file that stands for a folder, `index.html` when left out; `false` for none. */
  index?: string | false
  /** Whether files are looked for after the middleware that follows. */
  defer?: boolean
  /** Whether files `.gz` are sent to clients that accept them. */
  gzip?: boolean
  /** Whether files `.br` are sent to clients that accept them. */
  brotli?: boolean
  /** Endings that are tried for a path without one. */
  extensions?: string[] | false
  /** Sets headers of the response to a file. */
  setHeaders?: (response: any, path: string, stats: any) => any
}

/**
 * Middleware that parses bodies into `ctx.request.body`, by the package `koa-body`. Services need none: see `rest`.
 * Without the package the application does not start.
 *
 * @param options The options of `koa-body`
 */
export function bodyParser(options?: BodyParserOptions): LoadedMiddleware {
  const load = import('koa-body').catch(rethrowMissingPeer('koa-body', OWNER))

  return toMiddleware(load.then(({ koaBody }: any) => koaBody(options)))
}

/**
 * Middleware that allows pages of other origins to call, by the package `@koa/cors`. Use it before `errorHandler`.
 * Without the package the application does not start.
 *
 * @param options The options of `@koa/cors`
 * @throws TypeError for an `origin` that is `undefined`, as an unset environment variable has it
 */
export function cors(options?: CorsOptions): LoadedMiddleware {
  assertOrigin('cors', options ?? {})

  const load = import('@koa/cors').catch(rethrowMissingPeer('@koa/cors', OWNER))

  return toMiddleware(load.then(({ default: create }) => create(options as Parameters<typeof create>[0])))
}

/**
 * Middleware that serves files, by the package `koa-static`. Without the package the application does not start.
 *
 * @param root The folder
 * @param options The options of `koa-static`
 */
export function serveStatic(root: string, options?: ServeStaticOptions): LoadedMiddleware {
  const load = import('koa-static').catch(rethrowMissingPeer('koa-static', OWNER))

  return toMiddleware(load.then(({ default: create }) => create(root, options)))
}

function toMiddleware(loaded: Promise<Middleware>): LoadedMiddleware {
  // `app.listen` reports it, or the first request.
  loaded.catch(() => undefined)

  const middleware = async (context: FeathersKoaContext, next: Next) => (await loaded)(context, next)

  return Object.assign(middleware, { loaded })
}

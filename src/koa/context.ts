import type Koa from 'koa'
import type { HookContext, Params, RouteLookup } from '../core/types.ts'

/** What a request of an application has besides that of Koa. */
export interface FeathersContext {
  /** Params for the service call, which middleware adds to. */
  feathers: Partial<Params> & { [key: string]: any }
  /** What the path of the request leads to. */
  lookup?: RouteLookup
  /** The context of the service call, also of one that failed. */
  hook?: HookContext
  /** The request of Koa, with what `bodyParser()` and other parsers leave there. */
  request: { body?: any; rawBody?: any; files?: any }
  /**
   * Whether `rest()` was told that there is no proxy. On the context, because `authenticate` needs it too.
   *
   * @internal
   */
  _isDirect?: boolean
}

/** The context of a request: that of Koa, and what services add to it. */
export type FeathersKoaContext<App = any> = Koa.Context & FeathersContext & { app: App }

/** Koa middleware of an application. */
export type Middleware<App = any> = (context: FeathersKoaContext<App>, next: Koa.Next) => any

declare module '../core/types.ts' {
  interface ServiceOptions {
    /** Koa middleware that runs before and after the service. */
    koa?: { before?: Middleware[] | undefined; after?: Middleware[] | undefined } | undefined
  }
}

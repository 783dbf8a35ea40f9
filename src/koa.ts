export { default as Koa } from 'koa'
export { type Application, koa } from './koa/application.ts'
export { authenticate, parseAuthentication } from './koa/authentication.ts'
export type { FeathersContext, FeathersKoaContext, Middleware } from './koa/context.ts'
export { type ErrorHandlerOptions, errorHandler } from './koa/handlers.ts'
export {
  type BodyParserOptions,
  bodyParser,
  type CorsOptions,
  cors,
  type LoadedMiddleware,
  type ServeStaticOptions,
  serveStatic
} from './koa/peers.ts'
export { formatter, type RestOptions, rest } from './koa/rest.ts'

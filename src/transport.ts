export { callService } from './core/call.ts'
export { type ClientPlace, withClientPlace } from './core/client-place.ts'
export type { ServiceCall } from './core/methods.ts'
export {
  type Authenticating,
  type ParseAuthenticationOptions,
  parseAuthentication
} from './transport/authentication.ts'
export { parseJson } from './transport/body.ts'
export { toServiceCall } from './transport/call.ts'
export type { CorsOptions } from './transport/cors.ts'
export {
  type ClientError,
  type ErrorRequest,
  type FormatError,
  type LogContext,
  type Logger,
  logError,
  toClientError
} from './transport/error.ts'
export { createHttpHandler, type HttpHandler } from './transport/handler.ts'
export {
  createHttpContext,
  type HttpRequest,
  type HttpResponse,
  type HttpResult,
  type IncomingHeaders,
  type TransportApplication,
  toHttpError,
  toHttpResult
} from './transport/http.ts'
export type { HttpOptions, RequestDetails } from './transport/options.ts'
export { parseQueryString } from './transport/querystring.ts'
export {
  authenticateConnection,
  type Delivery,
  handleSocket,
  isAuthenticated,
  type SocketMessage,
  type SocketReply,
  toDeliveries,
  toSocketError
} from './transport/socket.ts'
export { findRoute } from './transport/target.ts'

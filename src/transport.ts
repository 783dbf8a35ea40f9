export { callService } from './core/call.ts'
export { createContext } from './core/hooks.ts'
export { fromArguments, type ServiceCall, toArguments } from './core/methods.ts'
export {
  type Authenticating,
  type ParseAuthenticationOptions,
  parseAuthentication
} from './transport/authentication.ts'
export {
  type AcceptedBodies,
  assertJson,
  BODY_DEPTH,
  BODY_LIMIT,
  parseJson,
  toData
} from './transport/body.ts'
export { type ClientError, type Logger, logError, toClientError } from './transport/error.ts'
export {
  createHttpContext,
  createNotFound,
  findRoute,
  type HttpRequest,
  type HttpResponse,
  handleHttp,
  hasData,
  type IncomingHeaders,
  METHOD_HEADER,
  type TransportApplication,
  toHttpError,
  toHttpResponse,
  toServiceCall
} from './transport/http.ts'
export { assertQuery, parseQueryString, QUERY_LIMITS } from './transport/querystring.ts'
export { prepareClose } from './transport/shutdown.ts'
export {
  authenticateConnection,
  type Delivery,
  handleSocket,
  isAuthenticated,
  type SocketMessage,
  type SocketReply,
  toDeliveries,
  toSocketCall
} from './transport/socket.ts'

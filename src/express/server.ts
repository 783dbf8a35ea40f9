import { IncomingMessage, type ServerOptions, ServerResponse } from 'node:http'
import type express from 'express'

/** Where an application has its classes, which are made once. */
const CLASSES = Symbol('alula/classes')

type RequestClasses = Required<Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>>

/**
 * Options for `createServer` of `node:http` and `node:https`, so that requests and responses are those of an Express
 * application from the start. Express replaces the prototype of any other, which makes every later access slow and costs
 * more than everything else; on these it changes nothing. The server of `app.listen()` has them.
 *
 * @param app Any Express application. Its `request` and `response` are replaced by objects with the same
 * properties
 * @returns The options `IncomingMessage` and `ServerResponse`; add your own
 * @example
 * const server = createServer(serverOptions(app), app)
 */
export function serverOptions(
  app: Pick<express.Express, 'request' | 'response'> & { [CLASSES]?: RequestClasses }
): RequestClasses {
  if (app[CLASSES]) return app[CLASSES]

  // Classes and not functions: for classes the engine reserves the room that the properties of Node need, and the
  // prototype of a class cannot be replaced.
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse extends ServerResponse {}

  const classes = { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse } as RequestClasses

  app.request = moveTo(ExpressRequest.prototype as express.Request, app.request)
  app.response = moveTo(ExpressResponse.prototype as express.Response, app.response)
  app[CLASSES] = classes

  return classes
}

/**
 * Copies all properties of a prototype to that of a class. Not by inheritance: where an application is mounted,
 * Express replaces what these inherit from.
 */
function moveTo<T extends object>(prototype: T, source: T): T {
  Reflect.deleteProperty(prototype, 'constructor')
  Object.defineProperties(prototype, Object.getOwnPropertyDescriptors(source))

  return Object.setPrototypeOf(prototype, Object.getPrototypeOf(source))
}

import { IncomingMessage, type ServerOptions, ServerResponse } from 'node:http'
import type express from 'express'

/** Those of applications that were asked for theirs before. */
const known = new WeakMap<object, RequestClasses>()

type RequestClasses = Required<Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>>

/**
 * Options for `createServer` of `node:http` and `node:https`, so that requests and responses are those of an Express
 * application from birth. Express gives each that it gets another prototype, which undoes what the engine knows of
 * their shape and costs more than all else; on these it changes nothing. The server of `app.listen()` has them.
 *
 * @param app An Express application, of ours or not. Its `request` and `response` are replaced by objects with the same
 * properties
 * @returns The options `IncomingMessage` and `ServerResponse`; add your own
 * @example
 * const server = createServer(serverOptions(app), app)
 */
export function serverOptions(app: Pick<express.Express, 'request' | 'response'>): RequestClasses {
  const existing = known.get(app)

  if (existing) return existing

  // Classes and not functions: for these the engine reserves as much room as those of Node need, and the prototype of
  // a class cannot be replaced.
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse extends ServerResponse {}

  const classes = { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse } as RequestClasses

  app.request = moveTo(ExpressRequest.prototype as express.Request, app.request)
  app.response = moveTo(ExpressResponse.prototype as express.Response, app.response)
  known.set(app, classes)

  return classes
}

/**
 * Gives the prototype of a class all that another prototype has. Not by inheritance: where an application is mounted,
 * Express replaces what these inherit from.
 */
function moveTo<T extends object>(prototype: T, source: T): T {
  Reflect.deleteProperty(prototype, 'constructor')
  Object.defineProperties(prototype, Object.getOwnPropertyDescriptors(source))

  return Object.setPrototypeOf(prototype, Object.getPrototypeOf(source))
}

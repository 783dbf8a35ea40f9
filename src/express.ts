import express from 'express'

export { type Application, feathersExpress as express } from './express/application.ts'
export { authenticate, parseAuthentication } from './express/authentication.ts'
export { type ErrorHandlerOptions, type ErrorResponder, errorHandler, notFound } from './express/handlers.ts'
export { json, urlencoded } from './express/parsers.ts'
export { formatter, type MiddlewareOptions, type RestOptions, rest, toMiddleware } from './express/rest.ts'
export { serverOptions } from './express/server.ts'
export { express as original }

// What Express itself exports. With written types, because inferred ones name packages that are not ours.
/** Express' parser that keeps a body as a buffer. */
const raw: typeof express.raw = express.raw
/** The router of Express. */
const Router: typeof express.Router = express.Router
/** Express' `static`, which serves files, under a name that can be a variable. */
const serveStatic: typeof express.static = express.static
/** Express' parser of text. */
const text: typeof express.text = express.text

// As in Feathers v5, so that `import express, { rest } from …` only changes its source.
export { feathersExpress as default } from './express/application.ts'
export { Router, raw, serveStatic, serveStatic as static, text }

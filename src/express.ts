import express from 'express'

export { type Application, feathersExpress as express } from './express/application.ts'
export { authenticate, parseAuthentication } from './express/authentication.ts'
export { type ErrorHandlerOptions, type ErrorResponder, errorHandler, notFound } from './express/handlers.ts'
export { formatter, type MiddlewareOptions, type RestOptions, rest, toMiddleware } from './express/rest.ts'
export { serverOptions } from './express/server.ts'
export { express as original }

// What Express itself exports. With written types, because inferred ones name packages that are not ours.
const json: typeof express.json = express.json
const raw: typeof express.raw = express.raw
const Router: typeof express.Router = express.Router
const serveStatic: typeof express.static = express.static
const text: typeof express.text = express.text
const urlencoded: typeof express.urlencoded = express.urlencoded

// As in Feathers v5, so that `import express, { rest } from …` only changes its source.
export { feathersExpress as default } from './express/application.ts'
export { json, Router, raw, serveStatic, serveStatic as static, text, urlencoded }

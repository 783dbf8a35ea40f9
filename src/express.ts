import express from 'express'

export { type Application, feathersExpress as express } from './express/application.ts'
export { type ErrorHandlerOptions, type ErrorResponder, errorHandler, notFound } from './express/handlers.ts'
export { formatter, type MiddlewareOptions, type RestOptions, rest, toMiddleware } from './express/rest.ts'
export { express as original }

// What Express itself exports.
const { json, raw, Router, static: serveStatic, text, urlencoded } = express

// As in Feathers v5, so that `import express, { rest } from …` only changes its source.
export { feathersExpress as default } from './express/application.ts'
export { json, Router, raw, serveStatic, serveStatic as static, text, urlencoded }

export { createHandler, type HandlerOptions } from './fetch/handler.ts'

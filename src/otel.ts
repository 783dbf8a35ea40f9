export { otel } from './otel/otel.ts'

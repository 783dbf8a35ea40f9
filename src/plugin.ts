// For packages that extend alula or read an application: tools for tests, documents, audits.
export { readEntityId } from './access/rules.ts'
export { assertApplication } from './core/assert-application.ts'
export { getErrorStatus } from './core/error-status.ts'
export {
  type ManifestCredentials,
  type ManifestLogin,
  type ManifestSessions,
  type ManifestStrategy,
  readLogin
} from './manifest/login.ts'
export { type ManifestMethod, type ManifestService, readServices } from './manifest/services.ts'
export { toAlternatives } from './schema/alternatives.ts'
export { getTypes, isJsonSchema } from './schema/json-schema.ts'
export { createError, createTypeError } from './utils/developer-error.ts'
export { didYouMean } from './utils/did-you-mean.ts'
export type { ErrorCode } from './utils/error-codes.ts'
export { getPath, isPlainObject, setOwn } from './utils/object.ts'
export { assertOptions, type CheckSettings, type OptionCheck, type OptionChecks } from './utils/options.ts'

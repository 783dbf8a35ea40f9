import { authenticate } from './authentication-hooks/authenticate.ts'
import { connection } from './authentication-hooks/connection.ts'
import { event } from './authentication-hooks/event.ts'
import { hashPassword } from './authentication-hooks/hash-password.ts'
import { protect } from './authentication-hooks/protect.ts'

export type { FailedLogin } from './authentication/attempts.ts'
export { AuthenticationBase, type AuthenticationStrategy } from './authentication/base.ts'
export type { CodeClaim, CodeOptions, RedeemedCode } from './authentication/codes.ts'
export { BcryptHasher, type Hasher } from './authentication/hasher.ts'
export type { TokenIssuer } from './authentication/issuers.ts'
export { JWTStrategy } from './authentication/jwt.ts'
export { LocalStrategy } from './authentication/local.ts'
export { MemoryRevocationStore, type RevocationStore } from './authentication/revocation.ts'
export { authenticationSettingsSchema } from './authentication/schema.ts'
export type { TokenSecret } from './authentication/secret-keys.ts'
export { AuthenticationService } from './authentication/service.ts'
export { type ListedSession, SessionService } from './authentication/session-service.ts'
export type { IncomingRequest } from './authentication/strategies.ts'
export {
  AuthenticationBaseStrategy,
  createStrategy,
  type StrategyDependencies
} from './authentication/strategy.ts'
export type {
  AuthenticationConfiguration,
  AuthenticationParams,
  AuthenticationRequest,
  AuthenticationResult,
  ConnectionEvent,
  JwtOptions,
  JwtVerifyOptions
} from './authentication/types.ts'
export { type AuthenticateHookSettings, authenticate } from './authentication-hooks/authenticate.ts'
export { type Authenticated, assertAuthenticated } from './authentication-hooks/authenticated.ts'
export { type HashPasswordOptions, hashPassword, passwordHash } from './authentication-hooks/hash-password.ts'
export { protect } from './authentication-hooks/protect.ts'
export type { LoginBudgetOptions } from './login-budget/options.ts'
export { type LoginBudgetStore, MemoryLoginBudgetStore, type TakenPoints } from './login-budget/store.ts'
export type { RefreshOptions } from './sessions/options.ts'
export type { EndedSession, SessionEndCause } from './sessions/types.ts'
export { connection, event }

/** The hooks by name, as the two packages of Feathers v5 export theirs. */
export const hooks = { authenticate, connection, event, hashPassword, protect }

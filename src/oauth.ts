export { type OauthSetupSettings, oauth } from './oauth/configure.ts'
export { OAuthService } from './oauth/service.ts'
export { type OAuthParams, OAuthStrategy } from './oauth/strategy.ts'
export type {
  OAuthConfiguration,
  OAuthData,
  OAuthProfile,
  ProviderSettings,
  TokenDelivery
} from './oauth/types.ts'
